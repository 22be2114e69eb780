/** Shows the text of a note with its links and simple Markdown, as elements: text of others never becomes markup. */
import './rich-text.css'
import type { ComponentChildren } from 'preact'
import { parseBlocks, type Block, type Span } from './parse-markdown.js'

export function RichText({ text }: { readonly text: string }) {
  return <div class="rich">{parseBlocks(text).map(renderBlock)}</div>
}

function renderBlock(block: Block, index: number): ComponentChildren {
  switch (block.kind) {
    case 'heading':
      return <h4 key={index}>{renderSpans(block.spans)}</h4>
    case 'list': {
      const items = block.items.map((spans, at) => <li key={at}>{renderSpans(spans)}</li>)
      return block.start === undefined ? (
        <ul key={index}>{items}</ul>
      ) : (
        <ol key={index} start={block.start}>
          {items}
        </ol>
      )
    }
    case 'quote':
      return <blockquote key={index}>{block.blocks.map(renderBlock)}</blockquote>
    case 'code':
      return (
        <pre key={index} tabIndex={0}>
          {block.text}
        </pre>
      )
    case 'rule':
      return <hr key={index} />
    case 'paragraph':
      return <p key={index}>{renderSpans(block.spans)}</p>
  }
}

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
