// Package api holds the contracts between the services. The generated code is committed.
package api

// Needs protoc (Debian: protobuf-compiler), protoc-gen-go v1.36.12 and protoc-gen-go-grpc v1.6.2 on the PATH.
//go:generate sh -c "protoc --proto_path=. --go_out=hotelpb --go_opt=module=meridian/hotel/api/hotelpb --go-grpc_out=hotelpb --go-grpc_opt=module=meridian/hotel/api/hotelpb *.proto"
