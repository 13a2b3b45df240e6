#!/bin/bash -eu
# A packaged target for each name in BPE_TARGETS, of the implementation in BPE_IMPL, with its seeds, into $OUT.
# compile_python_fuzzer comes with the base image: PyInstaller to one file, and a shell wrapper around it.

: "${BPE_IMPL:=heap}"
: "${BPE_TARGETS:=ENC-1 ENC-2 ENC-3 ENC-17 TRN-4 DEC-1 SPC-1 OBJ-2 FIL-1 state files ids}"

pip3 install .

python3 -m fuzz.package --impl "$BPE_IMPL" --folder "$SRC/fuzzers" $BPE_TARGETS

for fuzzer in "$SRC"/fuzzers/*_fuzzer.py; do
    name=$(basename "$fuzzer" .py)
    compile_python_fuzzer "$fuzzer" $(cat "$SRC/fuzzers/pyinstaller.options")
    cp "$SRC/fuzzers/${name}_seed_corpus.zip" "$OUT/"
done
