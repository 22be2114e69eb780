/** Prepares routes for calls. */
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { replyDocument } from './answer/document.js'
import { replyExport } from './answer/export.js'
import { replyPreview } from './answer/preview.js'
import { acceptsBody, createParamsBuilder, type BuildParams } from './request/params.js'
import type { ResponseKind, Route } from './route.js'

/** A route with the properties of its method that calls need. */
export interface PreparedRoute extends Route {
  readonly buildParams: BuildParams
  /** True for a method of the service rather than of the user named in the path. */
  readonly isService: boolean
  /** True if callers are authorised before the body is read. */
  readonly needsPrecheck: boolean
  /** True if the method requires an access. */
  readonly needsAccess: boolean
  /** Sends results that need more than their text. */
  readonly customReply: typeof replyDocument | undefined
  /** True if there is only a call to make: nothing to check or to receive before, and no file to send. */
  readonly isPlain: boolean
}

const customReplies: Partial<Record<ResponseKind, typeof replyDocument>> = {
  preview: replyPreview,
  export: replyExport,
  document: replyDocument
}

/** Returns a function that prepares routes for calls. */
export function prepareRoutes(dispatcher: Dispatcher): (route: Route) => PreparedRoute {
  const methods = new Map(dispatcher.definitions.map(definition => [definition.id, definition]))
  return route => {
    const method = methods.get(route.method)
    const isService = method?.mode === 'service'
    const needsPrecheck = isService && method.allow.needsOnlyCredentials === true
    const needsAccess = method?.allow.needsAccess ?? false
    const customReply = route.responseKind && customReplies[route.responseKind]
    return {
      ...route,
      buildParams: createParamsBuilder(route.verb, method),
      isService,
      needsPrecheck,
      needsAccess,
      customReply,
      isPlain: !needsPrecheck && !customReply && route.responseKind !== 'file' && !acceptsBody(route.verb)
    }
  }
}
