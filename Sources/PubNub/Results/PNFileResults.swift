import Foundation
import PubNubProtocol

/// The result of sending a file: its id and name, and the timetoken of the message about it.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNSendFileData: PNServiceData, @unchecked Sendable {
    /// The id that the service assigned to the file; nil when the file was not uploaded.
    public let fileIdentifier: String?
    /// When the message about the file was published, in units of 100 ns since 1970; nil when it was not published.
    public let timetoken: NSNumber?
    /// The file's name in the service's storage; nil when the file was not uploaded.
    public let fileName: String?
    /// Whether the service has stored the file. True even if subscribers could not be notified.
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
    /// The file's id and name, and the timetoken of the message about it.
    public let data: PNSendFileData

    init(status: StatusFacts, data: PNSendFileData) {
        self.data = data
        super.init(status: status)
    }
}

/// One page of the files of a channel.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNListFilesData: PNServiceData, @unchecked Sendable {
    /// The files of the page, as an optional for compatibility with the Cocoa SDK.
    public let files: [PNFile]?
    /// The cursor of the next page, for `next` of the next request; nil on the last page.
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

/// The answer to a request for the files of a channel.
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
    /// The location of the downloaded file, as an optional for compatibility with the Cocoa SDK.
    public let location: URL?

    init(isTemporary: Bool, location: URL?) {
        self.isTemporary = isTemporary
        self.location = location
    }
}

/// The result of a download: the location of the file.
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
