/**
 * Renders a list as an HTML table, for operators who open it in a browser.
 * (docs/spec/administration.md#users-and-servers)
 */
import { escapeMarkup } from '../../../core/outgoing/markup.js'
import type { Exchange } from '../exchange.js'
import { replyText } from './reply.js'

/**
 * Sends the items of a list, one column per member. All values are escaped. The columns are the members of
 * the first item.
 */
export function replyTable(exchange: Exchange, list: readonly object[]): void {
  const items = list as readonly Readonly<Record<string, unknown>>[]
  const columns = Object.keys(items[0] ?? {})
  const head = columns.map(column => `<th>${escapeMarkup(column)}</th>`).join('')
  const rows = items.map(
    item => `<tr>${columns.map(column => `<td>${toCell(item[column])}</td>`).join('')}</tr>`
  )
  const { res } = exchange
  res.setHeader('Content-Security-Policy', "default-src 'none'; sandbox")
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Cache-Control', 'no-store')
  const page = `<!doctype html>\n<title>List</title>\n<table>\n<tr>${head}</tr>\n${rows.join('\n')}\n</table>\n`
  replyText(exchange, 200, page, 'text/html; charset=utf-8')
}

function toCell(value: unknown): string {
  return escapeMarkup(typeof value === 'string' ? value : JSON.stringify(value ?? ''))
}
