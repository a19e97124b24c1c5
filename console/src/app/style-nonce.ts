declare global {
  /** Read by the library that stops the page from scrolling behind a dialog. */
  var __webpack_nonce__: string | undefined;
}

/** The nonce of this response. The content security policy refuses style elements without it. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

globalThis.__webpack_nonce__ = styleNonce;
