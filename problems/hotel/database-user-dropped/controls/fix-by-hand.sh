#!/bin/bash
# The service's own program can make its account, given the administrator's credentials.
set -euo pipefail

secret() { # NAME KEY
  kubectl -n hotel get secret "$1" -o json | jq -r --arg key "$2" '.data[$key] | @base64d'
}

kubectl -n hotel exec "deployment/$SERVICE" -- env \
  DATABASE_ADMIN_USERNAME="$(secret "mongodb-$SERVICE-admin" username)" \
  DATABASE_ADMIN_PASSWORD="$(secret "mongodb-$SERVICE-admin" password)" \
  /usr/local/bin/hotel init-db "$SERVICE"
