# From a SARIF log to the Code Quality report of GitLab:
#     jq -f code-quality.jq fencepost.sarif > gl-code-quality-report.json
# What the comments of a file expect is left out, as are findings without a place.
[
  .runs[].results[]
  | select((.suppressions // []) == [])
  | .locations[0].physicalLocation as $place
  | select($place.artifactLocation.uri != null)
  | {
      description: .message.text,
      check_name: .ruleId,
      fingerprint: (.partialFingerprints // {} | to_entries | map(.value) | join("/")),
      severity: ({ error: "critical", warning: "major", note: "info" }[.level] // "minor"),
      location: {
        path: $place.artifactLocation.uri,
        lines: { begin: ($place.region.startLine // 1) }
      }
    }
]
