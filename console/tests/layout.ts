import type { Page } from 'playwright-core';

/**
 * What a reader of the open page cannot reach or read in its window. The page scrolls sideways, or texts are cut off or overlap. Or the
 * last column of a table stays out of view, or its first column leaves it.
 */
export const layoutDefects = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const TOLERANCE = 1;
    const defects: string[] = [];
    const describe = (node: Node) => `"${node.textContent?.trim().slice(0, 60)}"`;

    for (const element of [document.documentElement, document.querySelector('main')!])
      if (element.scrollWidth > element.clientWidth) defects.push(`${element.tagName} scrolls sideways`);

    /** Not only for screen readers. The side bar may cut its names off, and shows them as tips. */
    const isShown = (element: Element): boolean => {
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
      for (let around: Element | null = element; around; around = around.parentElement) {
        const { clip, clipPath } = getComputedStyle(around);
        if (clip !== 'auto' || clipPath !== 'none') return false;
      }
      return !element.closest('nav');
    };

    /** The part of a line of text that its boxes show. Adds a defect if it is cut off and neither scrolls into view nor has a tip. */
    function shownPart(text: Node, element: Element, line: DOMRect) {
      let { left, right, top, bottom } = line;
      let canScroll = false;
      for (let around: Element | null = element; around; around = around.parentElement) {
        const { overflowX, textOverflow, display } = getComputedStyle(around);
        if (overflowX === 'visible' || display === 'inline') continue;
        const box = around.getBoundingClientRect();
        const isCut = left < box.left - TOLERANCE || right > box.right + TOLERANCE;
        const hasTip = textOverflow === 'ellipsis' && around.closest('td, [data-tip], [data-truncate]');
        canScroll ||= overflowX === 'auto';
        if (isCut && !canScroll && !hasTip) defects.push(`${describe(text)} is cut off`);
        [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
        [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
      }
      return { left, right, top, bottom };
    }

    const parts: { text: Node; part: ReturnType<typeof shownPart> }[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      const element = text.parentElement!;
      if (!text.textContent?.trim() || !isShown(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const line of range.getClientRects()) {
        const part = shownPart(text, element, line);
        // The cells of a table cut their texts off. Columns that stay in view are above the others.
        if (!element.closest('table')) parts.push({ text, part });
      }
    }
    for (const [index, { text, part }] of parts.entries())
      for (const { text: other, part: next } of parts.slice(index + 1)) {
        const width = Math.min(part.right, next.right) - Math.max(part.left, next.left);
        const height = Math.min(part.bottom, next.bottom) - Math.max(part.top, next.top);
        if (text !== other && width > 2 && height > 4)
          defects.push(`${describe(text)} overlaps ${describe(other)}`);
      }

    for (const table of document.querySelectorAll('[role=region]:has(table)')) {
      const { left, right } = table.getBoundingClientRect();
      const heads = [...table.querySelectorAll('th')];
      table.scrollLeft = table.scrollWidth;
      const first = heads[0]!.getBoundingClientRect();
      if (heads.at(-1)!.getBoundingClientRect().right > right + TOLERANCE)
        defects.push(`${table.ariaLabel}: the last column is out of reach`);
      if (innerWidth > 700 && Math.abs(first.left - left) > TOLERANCE)
        defects.push(`${table.ariaLabel}: the first column is out of view`);
      table.scrollLeft = 0;
    }
    return defects;
  });
