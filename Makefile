# make only adds what keeps the C compile of the NVIDIA bindings quiet, and its linking
# safe; the plain go commands do the same work.
export CGO_CFLAGS ?= -O2 -g -Wno-deprecated-declarations
# Where the linker binds all functions at the start, yolotop would not start without
# NVIDIA's library.
export CGO_LDFLAGS ?= -O2 -g -Wl,-z,lazy

.PHONY: all demo test lint

all: yolotop

# yolotop is always built: go knows best what is out of date.
.PHONY: yolotop
yolotop:
	go build -trimpath -o yolotop ./cmd/yolotop

demo:
	go run ./cmd/yolotop demo

test:
	go test ./...

lint:
	go vet ./...
	golangci-lint run
