/** A client of Coffer, for Node and browsers. */
export type { Arguments, Call, MethodId, Params, Result, Results } from './calls.js'
export { Coffer, settled, type BatchOptions, type CallOptions, type CofferOptions } from './coffer.js'
export { endpointOf, parseEndpoint, type Endpoint } from './endpoint.js'
export { CofferError, type ErrorDetails } from './errors.js'
export { download, readAttachment, type DownloadOptions } from './downloads.js'
export type { Cell, FlatPoints } from './flat-points.js'
export { Http, type HttpOptions, type Sent } from './http.js'
export { newId } from './ids.js'
export type { WebSocketLike } from './engine-connection.js'
export { readAudit, readEvents, type ListOptions } from './lists.js'
export { methodsOf, type MethodCalls } from './method-calls.js'
export type { Methods } from './methods/index.js'
export type * from './methods/nouns.js'
export type { FilePart, Form } from './multipart.js'
export { addPoints, flatPoints, pointsIn, readPoints, type Point } from './points.js'
export {
  readServiceInfo,
  requestAccess,
  signIn,
  signOut,
  waitForAccess,
  type AccessRequest,
  type Login,
  type SecondFactor,
  type ServiceInfo,
  type SignedIn,
  type SignInOptions
} from './service.js'
export { addAttachments, createEvent, upload } from './uploads.js'
export type { UploadOptions } from './post-form.js'
export { Socket, type SocketCallOptions, type SocketEvents, type SocketOptions } from './socket.js'
export type { StreamsCriteria, StreamsQuery } from './streams-query.js'
