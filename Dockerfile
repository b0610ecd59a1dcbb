# The service of docs/serve.md: no root, no write, no network of its own. Build: docker build -t crfdeid .
FROM python:3.12-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN pip wheel --no-cache-dir --wheel-dir /wheels ".[serve,fast]"

FROM python:3.12-slim-bookworm
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-index /wheels/*.whl && rm -rf /wheels \
    && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin crfdeid
ENV NUMBA_CACHE_DIR=/opt/crfdeid/numba \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
# The loops are compiled here, because nothing can be written where the service runs.
RUN crfdeid warm
USER 10001:10001
EXPOSE 8750
HEALTHCHECK --start-period=60s --interval=30s --timeout=5s CMD ["python", "-c", \
    "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8750/health', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["python", "-m", "crfdeid.serve", "--host", "0.0.0.0", "--key-file", "/run/secrets/crfdeid_key"]
