/** The form of a route: what a URL calls. */

export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What is sent instead of the result as JSON. */
export type ResponseKind =
  /** The content of the file in the result. */
  | 'file'
  /** The preview image, or 204 if there is none. */
  | 'preview'
  /** A ZIP of the draft that the result names. */
  | 'export'
  /** The text of the result, with the name and type in its facts. */
  | 'document'
  /** A redirect to the server in the result. */
  | 'redirect'
  /** The only value of the result, as plain text. */
  | 'text'
  /** The rows of the result as an HTML table, if the query has `toHTML=true`. */
  | 'table'

/** What the body must be, if it may not be any JSON or empty. */
export type BodyKind =
  /** May be a multipart form: an event as JSON, with files. */
  | 'event'
  /** May be a multipart form, of files only. */
  | 'files'
  /** May be a multipart form: files, and params as JSON if there are any. */
  | 'form'
  /** A JSON object: anything else is malformed, 400 `invalid-request-structure`. (docs/spec/series.md#errors) */
  | 'object'
  /** The content type must be JSON: otherwise 400 `missing-header` or 415. (docs/spec/administration.md#creating-a-user) */
  | 'declared'

export interface Route {
  readonly verb: Verb
  /**
   * The path below the user's root or the server's. `:name` matches one segment, which becomes a param of that name;
   * `:name.jpg` matches a segment with that suffix.
   */
  readonly path: string
  readonly method: string
  /** The status of a success, unless the result sets another. */
  readonly status: number
  readonly responseKind?: ResponseKind
  readonly bodyKind?: BodyKind
  /** Whether the response sets or clears the SSO cookie. (docs/spec/authentication.md#the-sso-cookie) */
  readonly cookie?: 'set' | 'clear'
  /** The response starts a page session, without the SSO cookie. */
  readonly startsSession?: true
  /** The response may contain a token, so it must not be cached. */
  readonly isPrivate?: true
  /** The user whom the path names as `:username` may call this method of the service with a page session, too. */
  readonly isByOwner?: true
  /** Operators may call it with a page session, too. (docs/spec/administration.md#operators) */
  readonly isForOperators?: true
}

/** Returns a route. `status`: the status of a success. */
export function route(
  verb: Verb,
  path: string,
  method: string,
  status = 200,
  more: Omit<Route, 'verb' | 'path' | 'method' | 'status'> = {}
): Route {
  return { verb, path, method, status, ...more }
}
