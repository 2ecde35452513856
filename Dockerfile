# Builds everything from the pinned sources and leaves a slim image that runs as a user of its own.
#
#   docker build -t mcp-python-sandbox .                                      # scientific stack compiled for any x86-64 CPU
#   docker build -t mcp-python-sandbox --build-arg VENV_MODE=wheels .         # published wheels: faster, for CPUs with SSE4.2
#   docker build -t mcp-python-sandbox:wasm-only --target wasm-only .         # pure Python only, no venv
#
# A stage is built again only if its own inputs have changed. Nothing here is newer than the classic builder, which builds the
# stages in this order up to the wanted one: hence the venv comes after the small image.
ARG DEBIAN=debian:bookworm-slim
ARG RUST=rust:1.95-slim-bookworm

# CPython for this machine: it builds the guest, and the venv stands on it.
FROM ${RUST} AS native-python
WORKDIR /src
RUN apt-get update -q && apt-get install -y -q --no-install-recommends ca-certificates curl
COPY build-scripts/build-python build-scripts/
COPY build-scripts/lib/common.sh build-scripts/lib/tools.sh build-scripts/lib/fetch.sh build-scripts/lib/native.sh build-scripts/lib/wasm.sh build-scripts/lib/guest.sh build-scripts/lib/
COPY wasm-python/pins.toml wasm-python/
RUN build-scripts/build-python native

# What is made for WASI before Rust is needed.
FROM native-python AS wasm-python
COPY wasm-python/guest-packages.txt wasm-python/
COPY wasm-python/patches wasm-python/patches
COPY wasm-python/guest wasm-python/guest
COPY wasm-python/overlay wasm-python/overlay
COPY wasm-python/training wasm-python/training
RUN build-scripts/build-python parts

# The server: first its dependencies, with empty sources in place of ours, then itself.
FROM ${RUST} AS server
WORKDIR /src
RUN apt-get update -q && apt-get install -y -q --no-install-recommends ca-certificates curl build-essential
COPY Cargo.toml Cargo.lock build.rs ./
COPY wasm-python/pins.toml wasm-python/
COPY wasm-python/snapshot/Cargo.toml wasm-python/snapshot/
RUN for source in $(sed -n 's/^path = "\(.*\)"$/\1/p' Cargo.toml) wasm-python/snapshot/src/main.rs; do \
      mkdir -p "$(dirname $source)" && echo 'fn main() {}' > $source; done \
 && cargo build --release --locked --workspace
COPY src src
COPY wasm-python wasm-python
COPY native-python/science.txt native-python/job_paths.c native-python/
# Cargo goes by times, and the empty sources are younger.
RUN find src wasm-python/snapshot/src -name '*.rs' -exec touch {} + && cargo build --release --locked --workspace

# CPython for WASI with its profile, the guest, and the tree of an installed copy.
FROM server AS guest
COPY --from=wasm-python /root/.cache /root/.cache
COPY build-scripts build-scripts
RUN build-scripts/build-python guest
COPY LICENSE *.md ./
COPY docs docs
COPY deploy/systemd deploy/systemd
RUN build-scripts/package install --wasm-only --destdir /stage

# What both images have in common. The limits fit a container of 512 MiB; all of them are options of the server.
FROM ${DEBIAN} AS base
RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin sandbox
ENV HOME=/home/sandbox MCP_PYTHON_SANDBOX_LIMIT_MEMORY=320 MCP_PYTHON_SANDBOX_CONCURRENCY=4
LABEL org.opencontainers.image.title="mcp-python-sandbox" \
      org.opencontainers.image.description="MCP server that runs Python for a language model, in a sandbox" \
      org.opencontainers.image.source="https://github.com/mcp-python-sandbox/mcp-python-sandbox" \
      org.opencontainers.image.licenses="Apache-2.0" \
      io.modelcontextprotocol.server.name="io.github.mcp-python-sandbox/mcp-python-sandbox"
ENTRYPOINT ["/opt/mcp-python-sandbox/bin/mcp-python-sandbox"]

FROM base AS wasm-only
COPY --from=guest /stage/opt /opt
ENV MCP_PYTHON_SANDBOX_NATIVE=off MCP_PYTHON_SANDBOX_IMAGE=mcp-python-sandbox:wasm-only
# By number: Kubernetes must see that it is not root.
USER 10001
WORKDIR /home/sandbox

# The venv with numpy and the like.
FROM native-python AS venv
COPY native-python native-python
COPY build-scripts/build-venv build-scripts/
COPY build-scripts/venv build-scripts/venv
# from-source | wheels | auto (as this machine's CPU needs it)
ARG VENV_MODE=from-source
ARG PACKAGES=science
RUN build-scripts/build-venv --${VENV_MODE}

FROM guest AS full-tree
COPY --from=venv /root/.cache/mcp-python-sandbox/venv /root/.cache/mcp-python-sandbox/venv
COPY native-python native-python
ARG PACKAGES=science
RUN build-scripts/package install --destdir /stage

FROM base AS full
ARG VENV_MODE=from-source
COPY native-python/runtime-packages.txt /tmp/
RUN apt-get update -q \
 && apt-get install -y -q --no-install-recommends \
      $(awk -v mode="$VENV_MODE" '!/^#/ && (mode != "wheels" || $2 != "compiled") { print $1 }' /tmp/runtime-packages.txt) \
 && rm -rf /var/lib/apt/lists/* /tmp/runtime-packages.txt
COPY --from=full-tree /stage/opt /opt
# The name under which `doctor` tells clients to start it.
ENV MCP_PYTHON_SANDBOX_IMAGE=mcp-python-sandbox:latest
USER 10001
WORKDIR /home/sandbox
