import Foundation
import PubNubProtocol

/// The outcome of sending a file.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNSendFileData: PNServiceData, @unchecked Sendable {
    /// The service's id of the file; nil when it was not uploaded.
    public let fileIdentifier: String?
    /// When the message to subscribers was published; nil when that failed.
    public let timetoken: NSNumber?
    /// The file's name; nil when it was not uploaded.
    public let fileName: String?
    /// Whether the service has stored the file, also when subscribers could not be notified.
    public let fileUploaded: Bool

    init(_ file: PubNubFileName?, timetoken: Timetoken?) {
        fileIdentifier = file?.id
        fileName = file?.name
        fileUploaded = file != nil
        self.timetoken = timetoken?.number
    }
}

/// The outcome of sending a file. ``PNStatus/retry()`` does nothing.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNSendFileStatus: PNAcknowledgmentStatus, @unchecked Sendable {
    /// The details of the answer.
    public let data: PNSendFileData

    init(status: StatusFacts, data: PNSendFileData) {
        self.data = data
        super.init(status: status)
    }
}

/// Files of a channel.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNListFilesData: PNServiceData, @unchecked Sendable {
    /// The files, or nil.
    public let files: [PNFile]?
    /// The position of the next page, for the next request's `next`; nil at the end.
    public let next: String?
    /// The number of files in this answer.
    public let count: UInt

    init(_ listed: PubNubListedFiles, downloadURL: (PubNubFileName) -> URL?) {
        files = listed.files.compactMap { element in
            downloadURL(element.file).map { url in
                PNFile(
                    identifier: element.file.id, name: element.file.name, downloadURL: url, size: UInt(clamping: element.size),
                    created: ObjectDate.parse(element.created))
            }
        }
        next = listed.next
        count = UInt(clamping: listed.count)
    }
}

/// The answer to a request for files.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNListFilesResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNListFilesData

    init(_ facts: ResultFacts, _ data: PNListFilesData) {
        self.data = data
        super.init(facts: facts)
    }
}

/// The location of a downloaded file.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNDownloadFileData: PNServiceData, @unchecked Sendable {
    /// Whether the file is in the directory for temporary files, because no other destination was given.
    public let isTemporary: Bool
    /// The location of the downloaded file, or nil.
    public let location: URL?

    init(isTemporary: Bool, location: URL?) {
        self.isTemporary = isTemporary
        self.location = location
    }
}

/// A downloaded file.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNDownloadFileResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNDownloadFileData

    init(_ facts: ResultFacts, _ data: PNDownloadFileData) {
        self.data = data
        super.init(facts: facts)
    }
}
