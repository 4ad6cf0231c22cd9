import Foundation

// Completion handlers of calls about files. A handler is called on the client's callback queue, once for the call and once more for every
// ``PNStatus/retry()`` of the failed call.

/// Completion handler of a call that sends a file. It gets a status with the file's id and name.
public typealias PNSendFileCompletionBlock = (PNSendFileStatus) -> Void
/// Completion handler of a request for the files of a channel. It gets a result or an error status.
public typealias PNListFilesCompletionBlock = (PNListFilesResult?, PNErrorStatus?) -> Void
/// Completion handler that gets the download URL of a file; nil when the file's name does not form a URL.
public typealias PNFileDownloadURLCompletionBlock = (URL?) -> Void
/// Completion handler of a download. It gets a result or an error status.
public typealias PNDownloadFileCompletionBlock = (PNDownloadFileResult?, PNErrorStatus?) -> Void
/// Completion handler of a request that deletes a file. It gets a status.
public typealias PNDeleteFileCompletionBlock = (PNAcknowledgmentStatus) -> Void
