# amr in an image: by default the sidecar; docker-compose.yml builds the worker from it too.
# PYTHON_IMAGE: the base; scripts/build-python-image makes one where none can be pulled. EXTRAS: of pyproject.toml; with gpu in
# place of cpu, FAISS is the one for CUDA 12, and what it needs of CUDA comes with it. SYSTEM_PACKAGES: Debian's, such as ffmpeg.
ARG PYTHON_IMAGE=python:3.12-slim
FROM ${PYTHON_IMAGE}
ARG EXTRAS=sidecar,cpu
ARG SYSTEM_PACKAGES=
RUN if [ -n "$SYSTEM_PACKAGES" ]; then \
      apt-get update && apt-get install -y --no-install-recommends $SYSTEM_PACKAGES && rm -rf /var/lib/apt/lists/*; \
    fi
WORKDIR /app
COPY pyproject.toml README.md LICENSE docker-compose.yml ./
COPY amr_neo4j amr_neo4j
COPY cypher cypher
COPY migrations migrations
RUN pip install --no-cache-dir ".[$EXTRAS]"
ENV AMR_DATA_DIR=/data AMR_CACHE_DIR=/data/cache
VOLUME /data
ENTRYPOINT ["amr"]
CMD ["sidecar", "serve", "--host", "0.0.0.0", "--no-tls"]
