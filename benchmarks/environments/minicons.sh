#!/bin/sh
# Make the environment that Starling is compared with minicons in (0.3.39), in a folder:
#
#     sh benchmarks/environments/minicons.sh FOLDER [PYTHON]
#
# minicons 0.3.39 calls batch_encode_plus, which transformers 5 no longer has, so that its masked models fail there:
# the last version before that.  torch comes first and alone, as the build for the CPU.
set -eu
folder=${1:?"usage: minicons.sh FOLDER [PYTHON]"}
"${2:-python3}" -m venv "$folder"
"$folder/bin/pip" install --quiet torch==2.13.0
"$folder/bin/pip" install --quiet minicons==0.3.39 transformers==4.57.6
"$folder/bin/python" -c 'import minicons.scorer, transformers; print("minicons 0.3.39, transformers", transformers.__version__)'
