FROM node:26-slim

WORKDIR /app

# The dependencies are a layer of their own: a change of the source does not install them again.
# The optional ones bring a Node.js for older machines, which this image has no need of.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional && npm cache clean --force

COPY LICENSE ./
COPY src ./src
COPY sdk/src ./sdk/src
COPY dashboard/built ./dashboard/built
COPY reference ./reference

# Made before the volume is declared, so that the volume begins with this owner.
RUN mkdir --mode=700 /data && chown node:node /data
VOLUME /data

USER node
ENV HOST=0.0.0.0 \
    PORT=8080 \
    DATABASE_URL=sqlite:/data/voice-agents.db
EXPOSE 8080

HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# Node itself is the first process, so that the signal to stop reaches it.
CMD ["node", "--max-semi-space-size=8", "src/cli/main.ts", "serve"]
