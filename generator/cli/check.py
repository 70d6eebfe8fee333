"""`gen check`."""

from __future__ import annotations

import argparse
import json
import sys

from generator.checks import check
from generator.cli.common import find_grammars, note_unused_words, summary
from generator.errors import Diagnostic, GrammarError
from generator.loading import load_grammar


def run(options: argparse.Namespace) -> int:
    """Report every finding; 1 if there is an error."""
    findings: list[Diagnostic] = []
    grammars = []
    for path in find_grammars(options.files):
        try:
            grammar = load_grammar(path, options.words)
        except GrammarError as error:
            findings.extend(error.diagnostics)
            continue
        grammars.append(grammar)
        findings.extend(check(grammar))
    unique = list({(d.code, d.message, str(d.span)): d for d in findings}.values())
    if options.json:
        sys.stdout.write(json.dumps([d.as_json() for d in unique], ensure_ascii=False, indent=2) + "\n")
    else:
        for finding in unique:
            sys.stdout.write(finding.render() + "\n")
        note_unused_words(grammars)
        sys.stderr.write(f"gen: {len(grammars)} grammar{'' if len(grammars) == 1 else 's'}: {summary(unique)}\n")
    return int(any(finding.is_error for finding in unique))
