import Foundation

// Blocks that calls about files end with. All are called on the client's callback queue, once for each attempt.

/// Completion handler of sending a file.
public typealias PNSendFileCompletionBlock = (PNSendFileStatus) -> Void
/// Completion handler of a request for the files of a channel. It gets a result or an error status.
public typealias PNListFilesCompletionBlock = (PNListFilesResult?, PNErrorStatus?) -> Void
/// Takes where a file is; nil when its name makes no URL.
public typealias PNFileDownloadURLCompletionBlock = (URL?) -> Void
/// Completion handler of a download. It gets a result or an error status.
public typealias PNDownloadFileCompletionBlock = (PNDownloadFileResult?, PNErrorStatus?) -> Void
/// Completion handler of deleting a file.
public typealias PNDeleteFileCompletionBlock = (PNAcknowledgmentStatus) -> Void
