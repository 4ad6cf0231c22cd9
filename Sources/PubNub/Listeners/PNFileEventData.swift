import Foundation
import PubNubProtocol
import WireCoding

/// A file that was shared on a channel.
public final class PNFile: Sendable {
    /// The file's id, which the service assigned at the upload.
    public let identifier: String
    /// The file's name.
    public let name: String
    /// The download URL. It contains the auth key when the client has one, so do not log it.
    public let downloadURL: URL
    /// The file's length in bytes; 0 when the service does not report it.
    public let size: UInt
    /// When the file was shared on the channel; in lists of files, when the file was created.
    public let created: Date

    init(identifier: String, name: String, downloadURL: URL, size: UInt = 0, created: Date) {
        self.identifier = identifier
        self.name = name
        self.downloadURL = downloadURL
        self.size = size
        self.created = created
    }
}

/// A shared file, with the sender's message about it.
///
/// `@unchecked Sendable`: every property is constant, or read under the lock of `batch` (see ``PNSubscriberData``).
public final class PNFileEventData: PNSubscriberData, @unchecked Sendable {
    /// The file; nil when the event contains no file.
    public let file: PNFile?
    private let messageText: String?

    /// - Parameters:
    ///   - payload: the payload, decrypted when the client has a cipher key.
    ///   - downloadURL: returns the URL of a file by its id and name.
    init(_ raw: PubNubMessage, batch: MessageBatch, payload: String, downloadURL: (String, String) -> URL?) {
        let payload = try? JSONText(payload)
        let described = payload?["file"]
        file = described?["id"]?.string.flatMap { id in
            let name = described?["name"]?.string ?? ""
            let created = Date(timeIntervalSince1970: Double(raw.timetoken.rawValue) / 10_000_000)
            return downloadURL(id, name).map { PNFile(identifier: id, name: name, downloadURL: $0, created: created) }
        }
        messageText = payload?["message"]?.text
        super.init(raw, batch: batch)
    }

    /// The sender's message about the file, as a JSON value; nil for none.
    public var message: Any? { messageText.flatMap { FoundationJSON.value($0) } }
}
