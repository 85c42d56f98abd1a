# The image of a diffx server: one file, Python, and a user who is not root.

FROM python:3.13-slim AS build
WORKDIR /src
COPY . .
RUN python3 build.py

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin diffx \
    && install -d -o diffx -g diffx -m 0700 /data
COPY --from=build /src/dist/diffx /usr/local/bin/diffx
USER diffx
WORKDIR /data
VOLUME /data
ENV DIFFX_HOST=0.0.0.0 DIFFX_STATE=/data/state.db
EXPOSE 7981
STOPSIGNAL SIGTERM
ENTRYPOINT ["diffx"]
CMD ["--help"]
