"""Reports: one frozen structure (`model.Report`) and what is made of it: tables, Markdown, CSV, JSON, plots, a page."""
