# awscli.sh CKPT URI: a copy downloaded by Debian's awscli is a directory of checkpoints.
. "$(dirname "$0")/../cli/lib.sh"
uri=$2
tree=$(cd "$(dirname "$0")/../.." && pwd)
aws=/usr/bin/aws
if [ ! -x "$aws" ]; then
  if [ -n "${CKPT_REQUIRE_SERVICES:-}" ]; then
    echo "$aws not found" >&2
    exit 1
  fi
  echo "SKIP: $aws not found (Debian: awscli)"
  exit 77
fi
at_gateway() { "$aws" --endpoint-url "$AWS_ENDPOINT_URL_S3" s3 "$@" >"$scratch/out" 2>&1 || fail "aws s3 $*: $(cat "$scratch/out")"; }
text="$scratch/text"
make_text "$text"
cd "$scratch" || exit 1
succeeds train --model mlp --data "$text" --batch 32 --quiet --seed 7 --steps 4 --save-every 2 --dir "$uri"

# All checkpoints.
at_gateway sync "$uri" all
[ -d all/commits ] || fail "no commit records came down: $(ls all)"
succeeds verify all
[ "$(grep -c ': ok, ' "$scratch/out")" = 2 ] || fail "not both are well: $(cat "$scratch/out")"
succeeds diff all "$uri"
says " 0 different"
succeeds train --model mlp --data "$text" --batch 32 --quiet --seed 7 --steps 6 --dir all # resumes on disk
says "resumed from step-000000000004"

# One checkpoint.
one=$("$ckpt" list "$uri" --json | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["name"])')
at_gateway cp --recursive "$uri/$one" one
succeeds verify one
says ": ok, "
succeeds diff one "$uri"
says " 0 different"
mkdir several
at_gateway cp --recursive "$uri/$one" "several/$one"
succeeds verify several
says "$one: ok, "

# Uploaded by awscli, a checkpoint has no commit record: it does not count until ckpt copy has put one.
at_gateway cp --recursive one "$uri/up/$one"
refuses 1 "contains no checkpoint" show "$uri/up"
succeeds show "$uri/up/$one"
succeeds copy one "$uri/up"
succeeds verify "$uri/up"
says ": ok, "
# The lifecycle rule in docs/reference/s3.md is valid.
grep '^{"Rules"' "$tree/docs/reference/s3.md" >rule.json
bucket=${uri#s3://}
bucket=${bucket%%/*}
api() { "$aws" --endpoint-url "$AWS_ENDPOINT_URL_S3" s3api "$@" >"$scratch/out" 2>&1 || fail "aws s3api $*: $(cat "$scratch/out")"; }
api put-bucket-lifecycle-configuration --bucket "$bucket" --lifecycle-configuration file://rule.json
api get-bucket-lifecycle-configuration --bucket "$bucket"
says '"DaysAfterInitiation": 2'
api delete-bucket-lifecycle --bucket "$bucket"
finish
