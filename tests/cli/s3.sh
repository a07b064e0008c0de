# s3.sh CKPT URI: the command with the S3 gateway from the environment instead of every directory.
. "$(dirname "$0")/lib.sh"
uri=$2
text="$scratch/text"
make_text "$text"
cd "$scratch" || exit 1
train() { succeeds train --model mlp --data "$text" --batch 32 --quiet --seed 7 "$@"; }

train --steps 4 --save-every 2 --dir "$uri/run"
train --steps 6 --dir "$uri/run" # resumes
says "resumed from step-000000000004"
train --steps 6 --save-every 2 --dir here
succeeds list "$uri/run"
[ "$(grep -c '^step-' "$scratch/out")" = "$("$ckpt" list here | grep -c '^step-')" ] || fail "the list is another one: $(cat "$scratch/out")"
succeeds show "$uri/run"
says "step 6, "
one=$("$ckpt" list "$uri/run" --json | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["name"])')
succeeds show "$uri/run/$one" # one checkpoint
says "step 6, "
succeeds verify "$uri/run"
says ": ok, "
succeeds diff "$uri/run" here # the same steps, on disk: the same bits
says " 0 different"
succeeds convert "$uri/run" out.npz --group model
succeeds show out.npz
says "tensors"

# Upload and download.
succeeds copy here "$uri/up" --all
says "verified"
succeeds diff here "$uri/up"
says " 0 different"
succeeds copy "$uri/up" down
succeeds verify down
says ": ok, "
succeeds diff down here
says " 0 different"
succeeds copy "$uri/up" "$uri/over" --json
succeeds list "$uri/over"
says "step-000000000006"

succeeds pin "$uri/up" 2
succeeds prune "$uri/up" --keep last:1 --dry-run
says "1 checkpoint would be removed"
succeeds prune "$uri/up" --keep last:1
says "1 checkpoint removed"
succeeds unpin "$uri/up" 2
train --steps 2 --dir "$uri/t"
refuses 1 "the bucket 'no-such-bucket-$$' does not exist" list "s3://no-such-bucket-$$/run"
refuses 1 "the bucket 'no-such-bucket-$$' does not exist" show "s3://no-such-bucket-$$/run"
refuses 1 "the bucket 'no-such-bucket-$$' does not exist" train --model mlp --data "$text" --quiet --steps 1 --dir "s3://no-such-bucket-$$/run"
refuses 1 "contains no checkpoint" show "$uri/nothing"

# Starts an upload that is never completed, as by a killed process.
begin_upload() {
  curl -s -f --noproxy '*' -X POST --aws-sigv4 aws:amz:us-east-1:s3 --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" \
    -H 'x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' \
    "$AWS_ENDPOINT_URL_S3/${uri#s3://}/$1?uploads=" >/dev/null || fail "the upload of $1 does not begin"
}
begin_upload run/step-000000000008-1a2b3c4d/model.safetensors
begin_upload other/file
succeeds prune "$uri/run" --uploads --older-than 1h
says "0 unfinished uploads aborted"
succeeds prune "$uri/run" --uploads --older-than 0 --dry-run
says "step-000000000008-1a2b3c4d/model.safetensors: started "
says "1 unfinished upload would be aborted"
succeeds prune "$uri" --uploads --older-than 0s --dry-run --json
/usr/bin/python3 -c 'import json, sys
document = json.load(open(sys.argv[1]))
assert document["dry_run"] is True, document
assert sorted(each["file"] for each in document["aborted"]) == ["other/file", "run/step-000000000008-1a2b3c4d/model.safetensors"], document
assert all(0 <= each["age_ns"] < 3600 * 10**9 for each in document["aborted"]), document' "$scratch/stdout" || fail "the JSON is another one"
succeeds prune "$uri/run" --uploads --older-than 0
says "1 unfinished upload aborted"
succeeds prune "$uri" --uploads --older-than 0 --json
/usr/bin/python3 -c 'import json, sys
assert [each["file"] for each in json.load(open(sys.argv[1]))["aborted"]] == ["other/file"]' "$scratch/stdout" || fail "the JSON is another one"
succeeds prune "$uri" --uploads --older-than 0
says "0 unfinished uploads aborted"
succeeds verify "$uri/run"
finish
