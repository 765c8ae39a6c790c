# amr in an image: by default the sidecar; docker-compose.yml builds the worker from it too.
# PYTHON_IMAGE: the base; scripts/build-python-image makes one where none can be pulled. EXTRAS: of pyproject.toml; with gpu, FAISS
# is the one for CUDA 12, and what it needs of CUDA comes with it. SYSTEM_PACKAGES: Debian's, such as ffmpeg.
ARG PYTHON_IMAGE=python:3.12-slim
FROM ${PYTHON_IMAGE}
ARG EXTRAS=sidecar
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
# Both builds of FAISS are the module faiss: one must go, and what it took with it comes back.
RUN case ",$EXTRAS," in *,gpu,*) \
      pip uninstall -y faiss-cpu && pip install --no-cache-dir --no-deps --force-reinstall "faiss-gpu-cu12>=1.9,<2" ;; \
    esac
ENV AMR_DATA_DIR=/data AMR_CACHE_DIR=/data/cache
VOLUME /data
ENTRYPOINT ["amr"]
CMD ["sidecar", "serve", "--host", "0.0.0.0", "--no-tls"]
