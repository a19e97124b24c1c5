import type { FastifyInstance, FastifyReply } from 'fastify';
import FindMyWay from 'find-my-way';
import { isPage } from './console.ts';
import { sendProblem } from './error-handler.ts';
import { ProblemError } from '../core/problem.ts';

/**
 * Returns 404 for an unknown path. If the path supports other methods, returns 405 with `Allow`. A browser that navigates to
 * a page of the console gets the console. The body is not read, because a fault in it says nothing about the path.
 */
export function answerUnknownPaths(
  app: FastifyInstance,
  sendPage: (reply: FastifyReply) => FastifyReply,
): void {
  const methodsByUrl = new Map<string, Set<string>>();
  const paths = FindMyWay({ maxParamLength: 256 });

  app.addHook('onRoute', ({ url, method }) => {
    const known = methodsByUrl.get(url);
    const methods = known ?? new Set<string>();
    for (const one of [method].flat()) methods.add(one);
    if (known) return;
    methodsByUrl.set(url, methods);
    paths.on('GET', url, () => {}, methods);
  });

  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    if (isPage(request)) return sendPage(reply);
    const methods = paths.find('GET', request.url)?.store as Set<string> | undefined;
    if (!methods)
      return sendProblem(
        request,
        reply,
        new ProblemError(
          'not_found',
          'The API has no such path. Check the base URL, and compare `instance` with the paths in the API reference at /docs.',
        ),
      );
    const allow = [...methods].toSorted().join(', ');
    return sendProblem(
      request,
      reply,
      new ProblemError('method_not_allowed', {
        detail: `This path supports ${allow}. Use one of these methods.`,
        headers: { allow },
      }),
    );
  });
}
