# Two commands from nothing but Python 3.11+ and make: `make demo`, `make test`.
PYTHON ?= python3
VENV   ?= .venv
# Named before all else: what asks for 'torch' alone takes the newest one.
TORCH  ?= torch==2.13.0
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test check tables frequencies clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(STAMP): $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '$(TORCH)'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $(STAMP)

demo: $(STAMP)
	$(BIN)/python -m generator.demo out
	$(BIN)/score model out/items --model length -o out/length.jsonl
	$(BIN)/score model out/items --model unigram:en -o out/unigram.jsonl
	$(BIN)/score predictions out/items out/length.jsonl out/unigram.jsonl --by paradigm,n --title 'Babeval: two baselines' --report out/report.html > out/report.txt
	@sed -n '/^Summary$$/,/^$$/p; /^By n$$/,/^$$/p' out/report.txt
	@echo 'All tables are in out/report.txt, the page to look through the items is out/report.html'

test: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto --dist worksteal

# After a change of generator/grammar.lark; without it every start builds the line parser anew.
tables: $(STAMP)
	$(BIN)/python -c "from generator import line_parsing as p; print(p.fresh_tables(), end='')" > tables.tmp
	mv tables.tmp generator/parser_tables.json

# After a change of word lists or grammars; needs the extra 'frequency' (wordfreq).
frequencies: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[frequency]'
	for language in en de cs; do $(BIN)/python -m generator.frequencies $$language -o wordlists/$$language/frequency.csv || exit; done

clean:
	rm -rf out build dist $(VENV)
