/** FHIR R4, for reading: `/{user}/fhir/…`. (docs/api/fhir.md) */
import type { Dispatcher } from '../../core/call/dispatcher.js'
import type { ApiError } from '../../core/errors.js'
import { createPatientId } from '../../core/oauth/smart-scope.js'
import type { Config } from '../../core/settings/config.js'
import { getAccountUrl } from '../../core/service-info.js'
import { refuseUnknownUser } from '../../core/unknown-user.js'
import type { EndpointResponse, ReadEndpoint, ReadRequest } from '../endpoints.js'
import { ReadTurns } from '../read-turns.js'
import { assertForm, assertJsonAccepted } from './accept.js'
import type { Patient } from './patient.js'
import { describeOutcome, refuse, toFhirResponse } from './outcome.js'
import { quoteText } from '../../core/errors.js'

const smartPath = '.well-known/smart-configuration'

export class Fhir implements ReadEndpoint {
  readonly roots = ['fhir']
  /** When this process began to serve what the capability statement describes. */
  readonly #started: number
  readonly #turns: ReadTurns

  constructor(private readonly dispatcher: Dispatcher) {
    this.#started = dispatcher.services.clock.now()
    this.#turns = new ReadTurns(dispatcher, 'events.get')
  }

  /**
   * Answers a read or a search, once it is its turn: a page is in memory as objects. Refuses other verbs (405), other formats, unknown
   * types (404), and what cannot wait (429). `metadata` and the SMART configuration need no token, except below an alias.
   */
  async handle(request: ReadRequest): Promise<EndpointResponse> {
    const { calls, segments, user, verb } = request
    const [, type = '', id = '', ...more] = segments
    const isSearch = id === '' || (id === '_search' && more.length === 0)
    if (verb !== 'GET' && !(verb === 'POST' && id === '_search'))
      refuse('not-supported', 'FHIR can only be read here: with GET, or POST to _search', 405)
    assertForm(request)
    const path = segments.slice(1).join('/')
    // It is JSON whatever a client accepts. (SMART App Launch 2.2, Conformance)
    if (path !== smartPath) assertJsonAccepted(request)
    const { accounts, clock, config } = this.dispatcher.services
    const account = accounts.findServed(user) ?? refuseUnknownUser(accounts, user)
    const patient: Patient = {
      id: createPatientId(account.id, account.alias),
      baseUrl: `${getAccountUrl(config, user)}fhir/`,
      now: clock.now(),
      calls
    }
    if (path === 'metadata' || path === smartPath) {
      // Only the holder of an alias learns that it exists.
      if (account.alias !== undefined) await calls.call('getAccessInfo', {})
      return path === 'metadata'
        ? await toFhirResponse(await this.#describe(patient.baseUrl))
        : await describeSmart(config)
    }
    if (more.length > 0) refuse('not-found', 'Nothing found at this path', 404)
    const { resources, search } = await import('./resources.js')
    const resource = resources.get(type)
    if (!resource) return refuse('not-supported', `There are no resources ${quoteText(type)} here`, 404)
    return await this.#turns.run(request, async () =>
      toFhirResponse(isSearch ? await search(resource, patient, request) : await resource.read(patient, id))
    )
  }

  async #describe(baseUrl: string): Promise<object> {
    const { buildCapabilities } = await import('./capabilities.js')
    return buildCapabilities(this.dispatcher.services.config, { baseUrl, date: this.#started })
  }

  /** Returns an error as an OperationOutcome. */
  describeError(error: ApiError): EndpointResponse {
    return describeOutcome(error)
  }
}

/** Returns the configuration of SMART, which is no resource. */
async function describeSmart(config: Config): Promise<EndpointResponse> {
  const { buildSmartConfiguration } = await import('./smart.js')
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    text: JSON.stringify(buildSmartConfiguration(config))
  }
}
