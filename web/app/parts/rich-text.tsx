/** Shows the text of a note with its links and simple Markdown, as elements: text of others never becomes markup. */
import './rich-text.css'
import type { ComponentChildren } from 'preact'
import { parseBlocks, type Block, type Span } from './parse-markdown.js'

/** Renders the text as paragraphs, lists and links. */
export function RichText({ text }: { readonly text: string }) {
  return <div class="rich">{parseBlocks(text).map(renderBlock)}</div>
}

/** Renders a block of formatted text. Headings are fourth level, below those of the page. */
function renderBlock(block: Block, index: number): ComponentChildren {
  if (block.kind === 'list') return <List key={index} {...block} />
  if (block.kind === 'quote') return <blockquote key={index}>{block.blocks.map(renderBlock)}</blockquote>
  if (block.kind === 'rule') return <hr key={index} />
  if (block.kind === 'code')
    return (
      <pre key={index} tabIndex={0}>
        {block.text}
      </pre>
    )
  const Tag = block.kind === 'heading' ? 'h4' : 'p'
  return <Tag key={index}>{renderSpans(block.spans)}</Tag>
}

function List({ items, start }: Extract<Block, { readonly kind: 'list' }>) {
  const lines = items.map((spans, at) => <li key={at}>{renderSpans(spans)}</li>)
  return start === undefined ? <ul>{lines}</ul> : <ol start={start}>{lines}</ol>
}

/** Converts spans to elements. */
function renderSpans(spans: readonly Span[]): ComponentChildren {
  return spans.map((span, index) => {
    if (typeof span === 'string') return span
    if (span.kind === 'break') return <br key={index} />
    if (span.kind === 'code') return <code key={index}>{span.text}</code>
    if (span.kind === 'link')
      return (
        // The page that is opened learns nothing of this one.
        <a key={index} href={span.href} target="_blank" rel="noopener noreferrer">
          {span.text}
        </a>
      )
    const { kind: Tag } = span
    return <Tag key={index}>{renderSpans(span.spans)}</Tag>
  })
}
