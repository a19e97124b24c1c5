interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
}

interface Document {
  info: { title: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
}

/** Renders `/llms.txt`: a short map of the API for language models, made from the OpenAPI document. */
export function renderLlmsText(openApi: string): string {
  const { info, servers, tags, paths, webhooks } = JSON.parse(openApi) as Document;
  const url = servers[0]?.url ?? '';
  const lineOf = (name: string, { operationId, summary, tags: [tag] }: Operation) => ({
    tag,
    line: `- ${name}: ${summary} (${operationId})`,
  });
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      lineOf(`${method.toUpperCase()} ${path}`, operation),
    ),
  );
  const events = Object.entries(webhooks).map(([type, { post }]) => lineOf(`Event ${type}`, post));
  const sections = tags.map(({ name, description }) => {
    const lines = [...operations, ...events].filter(({ tag }) => tag === name).map(({ line }) => line);
    return `## ${name}\n\n${description}\n\n${lines.join('\n')}\n`;
  });
  return `# ${info.title}

> A multi-tenant backend for games, with an HTTP API at ${url}.

- [OpenAPI 3.1 document](${url}/openapi.json): all schemas, limits, errors and examples
- [API reference](${url}/docs/): the same document for people
${info.description}
${sections.join('\n')}`;
}
