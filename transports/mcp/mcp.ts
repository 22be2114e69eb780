/**
 * The Model Context Protocol: assistants read data and, if their access permits, change it with the methods of the API. Each
 * message is answered independently; there are no sessions and no open connections. (docs/api/mcp.md)
 */
import type { IncomingMessage } from 'node:http'
import accepts from 'accepts'
import type { CallToolResult, McpHttpHandler } from '@modelcontextprotocol/server'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { ApiError, fail, quoteText } from '../../core/errors.js'
import { truncate } from '../../core/exports/chunks.js'
import { version } from '../../core/version.js'
import type { EndpointMessage, EndpointResponse, UserEndpoint } from '../endpoints.js'
import { AssistantCalls } from './assistant-calls.js'
import { listPrompts, writePrompt } from './prompts.js'
import { listResources, readResource, resourceTemplates } from './resources.js'
import { createTools, type Tool } from './tools.js'

const instructions =
  'Personal, time-stamped data: events (a weight, a heart rate, a note) of a type such as "mass/kg", in a tree of streams. ' +
  'Times are in seconds since the Unix epoch. Start with streams_facts, which lists what data exists and since when.  ' +
  'measures_facts returns the latest values, measures_days the value of each day, measures_week a summary of a week, over all devices. ' +
  'For numbers over long ranges, use measures_sample or events_sample rather than events_get. All reads are recorded for the owner of the data.'

/** Maximum number of characters of a URI in an error. */
const maxShownLength = 200

/** The endpoint at `/{user}/mcp`. The protocol's library is loaded on the first message. */
export class Mcp implements UserEndpoint {
  readonly segment = 'mcp'
  #handler: Promise<McpHttpHandler> | undefined

  constructor(private readonly dispatcher: Dispatcher) {}

  /** Answers one message. Only POST is served; refusals of calls are part of the answer. */
  async handle(message: EndpointMessage): Promise<EndpointResponse> {
    const { body, user, verb } = message
    assertSingleMessage(body)
    this.#handler ??= this.#createHandler()
    const handler = await this.#handler
    // The library refuses all verbs except POST. Some, such as TRACE, cannot be passed to `Request`.
    const method = verb === 'POST' ? verb : 'GET'
    const type = choosePreferredType(message)
    const request = new Request('http://coffer/mcp', { method, headers: buildHeaders(message, type) })
    const calls = new AssistantCalls(this.dispatcher, message)
    const authInfo = { token: '', clientId: user, scopes: [], extra: { calls } }
    const response = await handler.fetch(request, { parsedBody: body, authInfo })
    const answer = {
      status: response.status,
      headers: pickHeaders(response.headers),
      text: await response.text(),
      isRead: calls.isReadOnly
    }
    return type === json ? unwrapEvent(answer) : answer
  }

  /** Loads the library, and creates the handler with its tools, prompts and resources. */
  async #createHandler(): Promise<McpHttpHandler> {
    const { createMcpHandler, ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } =
      await import('@modelcontextprotocol/server')
    const tools = createTools(this.dispatcher.definitions)
    return createMcpHandler(({ authInfo }) => {
      const calls = authInfo?.extra?.['calls'] as AssistantCalls
      const { name } = this.dispatcher.services.config.service
      const server = new Server(
        { name: 'coffer', title: name, version },
        { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions }
      )
      server.setRequestHandler('tools/list', async () => ({ tools: await listTools(tools, calls) }))
      server.setRequestHandler('tools/call', async ({ params }) => await callTool(tools, calls, params))
      server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts() }))
      server.setRequestHandler('prompts/get', async ({ params }) => {
        const result = await writePrompt(calls, params.name, params.arguments ?? {})
        if ('problem' in result) throw new ProtocolError(ProtocolErrorCode.InvalidParams, result.problem)
        return { messages: [{ role: 'user', content: { type: 'text', text: result.text } }] }
      })
      server.setRequestHandler('resources/list', async () => ({ resources: await listResources(calls) }))
      server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }))
      server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
        const text = await readResource(calls, uri)
        // The library repeats the URI twice.
        if (text === undefined) throw new ResourceNotFoundError(truncate(uri, maxShownLength))
        return { contents: [{ uri, mimeType: 'application/json', text }] }
      })
      return server
    })
  }
}

/** Lists the tools that only read and, if the access may write, the tools that write. */
async function listTools(tools: readonly Tool[], calls: AssistantCalls): Promise<Omit<Tool, 'method'>[]> {
  const mayWrite = await calls.mayWrite()
  return tools
    .filter(({ annotations }) => mayWrite || annotations.readOnlyHint)
    .map(({ method: _method, ...tool }) => tool)
}

async function callTool(
  tools: readonly Tool[],
  calls: AssistantCalls,
  { name, arguments: params = {} }: { name: string; arguments?: Record<string, unknown> | undefined }
): Promise<CallToolResult> {
  const tool = tools.find(candidate => candidate.name === name)
  if (!tool) return createToolError(`Unknown tool ${quoteText(name)}`)
  const { auth: _auth, ...toolParams } = params
  const result = await calls.call(tool.method, toolParams)
  if (!result.ok) return createToolError(`${result.error.id}: ${result.error.message}`)
  return { content: [{ type: 'text', text: JSON.stringify(result.value) }], structuredContent: result.value }
}

function createToolError(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** Refuses several messages at once, which would evade the limits of calls, and subscriptions, which would outlive the access. */
function assertSingleMessage(body: unknown): void {
  if (Array.isArray(body)) fail('invalid-request-structure', 'Send one message at a time')
  if (Object(body).method === 'subscriptions/listen')
    throw new ApiError(
      'invalid-method',
      'Subscriptions are not supported. Use sockets or webhooks for notifications'
    )
}

const json = 'application/json'
const eventStream = 'text/event-stream'

/**
 * Returns the media type that a client accepts, even by `*\/*`: server-sent events if the client names them, else JSON.
 * `undefined` if the client accepts neither.
 */
function choosePreferredType({ credentials: { headers = {} } }: EndpointMessage): string | undefined {
  const accept = accepts({ headers } as IncomingMessage)
  const types = String(headers['accept'] ?? '')
    .toLowerCase()
    .includes(eventStream)
    ? [eventStream, json]
    : [json, eventStream]
  return types.find(type => accept.type(type) !== false)
}

/** Returns a response of one event as the JSON that it contains. */
function unwrapEvent(answer: EndpointResponse): EndpointResponse {
  const [event, ...others] = [...answer.text.matchAll(/^data: (\{.*)$/gm)]
  return !event || others.length > 0 || !answer.headers['content-type']?.startsWith(eventStream)
    ? answer
    : { ...answer, headers: { ...answer.headers, 'content-type': json }, text: event[1]! }
}

/** Returns the headers for the library, without the token. The library requires that both media types are accepted. */
function buildHeaders({ credentials: { headers = {} } }: EndpointMessage, type: string | undefined): Headers {
  const result = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (/^(?:accept|content-type|last-event-id|mcp-.*)$/.test(name) && typeof value === 'string')
      result.set(name, value)
  if (type !== undefined) result.set('accept', `${json}, ${eventStream}`)
  return result
}

/** Returns the response headers that clients need. */
function pickHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => /^(?:content-type|allow|mcp-.*)$/.test(name)))
}
