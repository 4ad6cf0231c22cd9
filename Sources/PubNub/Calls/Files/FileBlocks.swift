import Foundation

// Blocks that calls about files end with. All are called on the client's callback queue, once for each attempt.

/// Completion handler of sending a file.
public typealias PNSendFileCompletionBlock = (PNSendFileStatus) -> Void
/// Takes files, or why there are none.
public typealias PNListFilesCompletionBlock = (PNListFilesResult?, PNErrorStatus?) -> Void
/// Takes where a file is; nil when its name makes no URL.
public typealias PNFileDownloadURLCompletionBlock = (URL?) -> Void
/// Takes a downloaded file, or why there is none.
public typealias PNDownloadFileCompletionBlock = (PNDownloadFileResult?, PNErrorStatus?) -> Void
/// Completion handler of deleting a file.
public typealias PNDeleteFileCompletionBlock = (PNAcknowledgmentStatus) -> Void
