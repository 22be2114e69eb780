/**
 * The Model Context Protocol: assistants read and, where their access may, change data by the methods that every client calls.
 * Each message is answered by itself; there are no sessions and no streams to keep. (docs/api/mcp.md)
 */
import type { IncomingMessage } from 'node:http'
import accepts from 'accepts'
import type { CallToolResult, McpHttpHandler } from '@modelcontextprotocol/server'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { ApiError, fail } from '../../core/errors.js'
import { version } from '../../core/version.js'
import type { Message, MessageAnswer, UserEndpoint } from '../user-endpoint.js'
import { Data } from './data.js'
import { listResources, readResource, templates } from './resources.js'
import { toolsOf, type Tool } from './tools.js'

const instructions =
  'Personal, time-stamped data: events (a weight, a heart rate, a note) of a type such as "mass/kg", in a tree of streams. ' +
  'Times are in seconds since the Unix epoch. Start with streams_facts, which lists what data exists and since when.  ' +
  'For numbers over long ranges, use events_sample rather than events_get. All reads are recorded for the owner of the data.'

/** The endpoint at `/{user}/mcp`. The library of the protocol is loaded when it is first called. */
export class Mcp implements UserEndpoint {
  readonly segment = 'mcp'
  #handler: Promise<McpHttpHandler> | undefined

  constructor(private readonly dispatcher: Dispatcher) {}

  async answer(message: Message): Promise<MessageAnswer> {
    const { body, user, verb } = message
    assertSingleMessage(body)
    this.#handler ??= this.#createHandler()
    const handler = await this.#handler
    // What is not POST is refused, whichever it is; some, such as TRACE, cannot even be named here.
    const method = verb === 'POST' ? verb : 'GET'
    const form = preferredForm(message)
    const request = new Request('http://coffer/mcp', { method, headers: headersOf(message, form) })
    const data = new Data(this.dispatcher, message)
    const authInfo = { token: '', clientId: user, scopes: [], extra: { data } }
    const response = await handler.fetch(request, { parsedBody: body, authInfo })
    const answer = { status: response.status, headers: kept(response.headers), text: await response.text() }
    return form === json ? withoutEvents(answer) : answer
  }

  async #createHandler(): Promise<McpHttpHandler> {
    const { createMcpHandler, ResourceNotFoundError, Server } = await import('@modelcontextprotocol/server')
    const tools = toolsOf(this.dispatcher.definitions)
    return createMcpHandler(({ authInfo }) => {
      const data = authInfo?.extra?.['data'] as Data
      const { name } = this.dispatcher.services.config.service
      const server = new Server(
        { name: 'coffer', title: name, version },
        { capabilities: { tools: {}, resources: {} }, instructions }
      )
      server.setRequestHandler('tools/list', async () => ({ tools: await listed(tools, data) }))
      server.setRequestHandler('tools/call', async ({ params }) => await callTool(tools, data, params))
      server.setRequestHandler('resources/list', async () => ({ resources: await listResources(data) }))
      server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: templates }))
      server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
        const text = await readResource(data, uri)
        if (text === undefined) throw new ResourceNotFoundError(uri)
        return { contents: [{ uri, mimeType: 'application/json', text }] }
      })
      return server
    })
  }
}

/** Those that only read, and the others for whom they are of use. */
async function listed(tools: readonly Tool[], data: Data): Promise<Omit<Tool, 'method'>[]> {
  const mayWrite = await data.mayWrite()
  return tools
    .filter(({ annotations }) => mayWrite || annotations.readOnlyHint)
    .map(({ method: _method, ...tool }) => tool)
}

async function callTool(
  tools: readonly Tool[],
  data: Data,
  { name, arguments: params = {} }: { name: string; arguments?: Record<string, unknown> | undefined }
): Promise<CallToolResult> {
  const tool = tools.find(candidate => candidate.name === name)
  if (!tool) return wrong(`Unknown tool "${name.slice(0, 100)}"`)
  const { auth: _auth, ...given } = params
  const told = await data.call(tool.method, given)
  if (!told.ok) return wrong(`${told.error.id}: ${told.error.message}`)
  return { content: [{ type: 'text', text: JSON.stringify(told.value) }], structuredContent: told.value }
}

function wrong(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** Several at once would be a way around the limits of calls; a subscription would outlive its access. */
function assertSingleMessage(body: unknown): void {
  if (Array.isArray(body)) fail('invalid-request-structure', 'Send one message at a time')
  if (Object(body).method === 'subscriptions/listen')
    throw new ApiError(
      'invalid-method',
      'Subscriptions are not supported. Use sockets or webhooks for notifications'
    )
}

const json = 'application/json'
const events = 'text/event-stream'

/** Returns the form of an answer that a client takes, such as by `*\/*`: events if it names them. `undefined` if it takes none. */
function preferredForm({ credentials: { headers = {} } }: Message): string | undefined {
  const accept = accepts({ headers } as IncomingMessage)
  const forms = String(headers['accept'] ?? '')
    .toLowerCase()
    .includes(events)
    ? [events, json]
    : [json, events]
  return forms.find(form => accept.type(form) !== false)
}

/** Returns an answer of one event as the JSON that it holds. */
function withoutEvents(answer: MessageAnswer): MessageAnswer {
  const [data, ...others] = [...answer.text.matchAll(/^data: (\{.*)$/gm)]
  return !data || others.length > 0 || !answer.headers['content-type']?.startsWith(events)
    ? answer
    : { ...answer, headers: { ...answer.headers, 'content-type': json }, text: data[1]! }
}

/** Headers of the protocol alone: that of the token is not its business. The library asks for both forms by their names. */
function headersOf({ credentials: { headers = {} } }: Message, form: string | undefined): Headers {
  const result = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (/^(?:accept|content-type|last-event-id|mcp-.*)$/.test(name) && typeof value === 'string')
      result.set(name, value)
  if (form !== undefined) result.set('accept', `${json}, ${events}`)
  return result
}

/** Headers of an answer that clients need. */
function kept(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => /^(?:content-type|allow|mcp-.*)$/.test(name)))
}
