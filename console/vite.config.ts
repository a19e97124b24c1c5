import react from '@vitejs/plugin-react';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const API = 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react(), showStartBeforeStyles(), compressAssets()],
  // The server replaces this text in every response (server/src/http/console.ts).
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    manifest: true,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: Object.fromEntries(['/api', '/avatars', '/docs', '/openapi.json'].map((path) => [path, API])),
  },
});

/** Moves the link to the styles behind the content of the page, because a browser shows nothing that follows it until they have loaded. */
function showStartBeforeStyles(): Plugin {
  const LINK = /\s*<link rel="stylesheet"[^>]*>/;
  return {
    name: 'show-start-before-styles',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => html.replace(LINK, '').replace('</body>', `${LINK.exec(html)![0]}\n  </body>`),
    },
  };
}

/** Writes `.br` and `.gz` files beside the assets, so that the server compresses nothing at run time. */
function compressAssets(): Plugin {
  let folder = '';
  return {
    name: 'compress-assets',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = join(root, build.outDir, build.assetsDir);
    },
    closeBundle: async () => {
      const names = (await readdir(folder)).filter((name) => /\.(js|css|svg)$/.test(name));
      await Promise.all(
        names.map(async (name) => {
          const path = join(folder, name);
          const content = await readFile(path);
          await writeFile(`${path}.br`, await promisify(brotliCompress)(content));
          await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
        }),
      );
    },
  };
}
