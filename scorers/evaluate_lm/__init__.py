"""What `score evaluate-lm` does: the evaluation of 'Evaluate LSTMs for syntax', and of any other language model."""
