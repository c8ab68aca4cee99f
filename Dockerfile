FROM node:26-slim

WORKDIR /app

# Dependencies are a separate layer, so that source changes do not reinstall them.
# The optional dependencies are those of speech, and a Node.js for older machines, which this image does not need.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-* node_modules/.bin/node && npm cache clean --force

COPY LICENSE NOTICE ./
COPY src ./src
COPY sdk/src ./sdk/src
COPY sdk/built ./sdk/built
COPY dashboard/built ./dashboard/built
COPY reference ./reference

# Created before the volume is declared, so that volumes mounted there get this owner.
RUN mkdir --mode=700 /data /data/speech && chown node:node /data /data/speech
VOLUME /data

USER node
ENV HOST=0.0.0.0 \
    PORT=8080 \
    DATABASE_URL=sqlite:/data/voice-agents.db \
    MEDIA_DIR=/data/media \
    SPEECH_MODELS=/data/speech
EXPOSE 8080

HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# Node itself is PID 1, so that it receives the stop signal.
CMD ["node", "--max-semi-space-size=8", "--no-allocation-site-pretenuring", "--no-parallel-scavenge", "src/cli/main.ts", "serve"]
