module confine

go 1.26.0

require golang.org/x/sys v0.43.0
