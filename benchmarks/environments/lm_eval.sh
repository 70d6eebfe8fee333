#!/bin/sh
# The environment that benchmarks/causal.py runs in: lm-evaluation-harness beside Starling.
#
#     sh benchmarks/environments/lm_eval.sh FOLDER        then FOLDER/bin/python benchmarks/causal.py
#
# torch comes first and in its build for CPUs: of itself the harness would bring another.
set -e
folder=${1:?expected the folder of the new environment}
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet torch==2.13.0
"$folder/bin/pip" install --quiet transformers==5.23.0 'lm-eval>=0.4.9' 'accelerate>=1'
"$folder/bin/pip" install --quiet -e "$(dirname "$0")/../..[models]"
"$folder/bin/python" -c 'import lm_eval, torch, transformers; print(lm_eval.__version__, torch.__version__, transformers.__version__)'
