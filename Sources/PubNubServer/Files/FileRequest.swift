import Identifiers
import NIOPosix
import PubNubProtocol
import ServerRuntime
import ServerStorage
import WireCoding

/// A request of the files service, with the settings and limits that its answer depends on (rules FI-1 to FI-24).
struct FileRequest: Sendable {
    let application: PubNubApplication
    let request: PubNubServerRequest
    /// Stores uploaded files and returns their contents: the application's own files in a single server, ``ClusterFiles`` on a node of a
    /// cluster.
    var keeper: any FileKeeper
    /// The boundary of a multipart form; nil when the body is not a multipart form.
    var boundary: String?
    /// Limits the memory of file contents that are being sent; nil when this memory is not limited.
    var bodies: BodyBudget?
    /// The owner whose share of `bodies` the file's content uses.
    var owner = BodyOwner()

    init(
        application: PubNubApplication, request: PubNubServerRequest, keeper: (any FileKeeper)? = nil, boundary: String? = nil,
        bodies: BodyBudget? = nil, owner: BodyOwner = BodyOwner()
    ) {
        self.application = application
        self.request = request
        self.keeper = keeper ?? application.files
        self.boundary = boundary
        self.bodies = bodies
        self.owner = owner
    }

    private static let pageLimit = 100
    /// The size limit of an upload form in bytes, not counting the file.
    static let formBytes = UploadForm.maximumFieldBytes

    /// Answers the request, either before this method returns or later from a task.
    func answer(_ route: PubNubFileRoute, reply: @escaping HTTPReply) {
        switch route {
        case .generateUpload(let channel): reply(generateUpload(channel))
        case .list(let channel): reply(list(channel))
        case .file(let channel, let id, let name): reply(find(channel, id: id, name: name))
        case .upload: Task { reply(await upload()) }
        case .content(let id, let name): Task { reply(await content(id, name)) }
        case .delete(let channel, let id, let name): Task { reply(await delete(channel, id: id, name: name)) }
        }
    }

    private var files: PubNubFiles { application.files }
    private var keyset: Keyset { application.keyset }

    private func url(_ path: String) -> String? {
        request.base.map { "\($0)/v1/files/\(PercentEncoding.encode(application.subscribeKey))/\(path)" }
    }

    // MARK: Uploading

    private func generateUpload(_ channel: String) -> HTTPAnswer {
        guard PubNubDraft.isValid(channel: channel) else { return FileBodies.refusal(400, PubNubErrorBody.invalidChannelName) }
        guard let name = (try? JSONText(bytes: request.body))?["name"]?.string, StoredFile.isValid(name: name) else {
            return FileBodies.refusal(
                400, "The name of a file has 1 to \(StoredFile.maximumName) bytes, without slashes and control characters")
        }
        guard let url = url("upload") else { return FileBodies.refusal(400, "The request has no host") }
        guard keyset.fileStorage > 0 else { return FileBodies.refusal(402, "Files are not enabled for this keyset") }
        guard files.hasRoom(for: 1, in: keyset) else {
            return FileBodies.refusal(403, "The keyset has reached its limit of files")
        }
        let upload = FileTicket.Upload(
            subscribeKey: application.subscribeKey, channel: Identifier(channel), id: FileID.make(), name: Identifier(name),
            expires: application.clock.unixSeconds() + FileTicket.uploadLifetime, maximumBytes: keyset.fileBytes)
        return FileBodies.upload(
            upload, url: url,
            fields: [
                ("key", "\(application.subscribeKey)/\(upload.id.text)/\(name)"),
                ("Content-Type", FileType.of(upload.name).rawValue), ("Policy", upload.policy),
                ("Signature", upload.signature(keyset.secretKey)),
            ])
    }

    /// Accepts an upload form, which contains the issued policy, its signature and the file.
    private func upload() async -> HTTPAnswer {
        guard let boundary, let form = try? UploadForm(request.body, boundary: boundary) else { return FileBodies.malformedForm }
        let upload: FileTicket.Upload
        do throws(FileTicket.Problem) {
            upload = try FileTicket.Upload.check(
                policy: form.policy, signature: form.signature, subscribeKey: application.subscribeKey,
                secrets: keyset.validSecretKeys, now: application.clock.unixSeconds())
        } catch {
            return error == .expired ? FileBodies.expired : FileBodies.wrongSignature
        }
        let content: ArraySlice<UInt8>
        do {
            // The form is decoded on NIO's thread pool, so that it does not block Swift's own threads, which serve other requests.
            content = try await NIOThreadPool.singleton.runIfActive { try form.file() }
        } catch {
            return error is MultipartForm.Malformed ? FileBodies.malformedForm : FileBodies.notStored
        }
        guard content.count <= min(upload.maximumBytes, keyset.fileBytes) else { return FileBodies.tooLarge }
        let file = StoredFile(
            id: upload.id, channel: upload.channel, name: upload.name, size: content.count,
            created: application.clock.unixTicks())
        do throws(FileRefusal) {
            try await keeper.store(
                file, content: content, origin: FileOrigin(issued: upload.issued, client: request.client), in: keyset)
        } catch {
            switch error {
            case .noRoom: return FileBodies.noRoom
            case .deleted: return FileBodies.expired
            case .shareUsed: return FileBodies.shareUsed
            case .notStored, .busy: return FileBodies.notStored
            }
        }
        return FileBodies.taken
    }

    // MARK: Finding

    private func list(_ channel: String) -> HTTPAnswer {
        let asked = request.parameter("limit").flatMap { Int($0) } ?? Self.pageLimit
        var start: FilePlace?
        if let next = request.parameter("next"), !next.isEmpty {
            start = FilePlace(cursor: next)
            guard start != nil else { return FileBodies.refusal(400, "The parameter next is not one of this service") }
        }
        let page = files.page(
            of: Identifier(channel), after: start, limit: asked > 0 ? min(asked, Self.pageLimit) : Self.pageLimit)
        return FileBodies.list(page.files, next: page.next)
    }

    /// Redirects to the address of a file's content. Every client that has this address can use it for a limited time.
    private func find(_ channel: String, id: String, name: String) -> HTTPAnswer {
        guard let file = file(channel, id: id, name: name) else { return FileBodies.notHere }
        let expires = application.clock.unixSeconds() + FileTicket.linkLifetime
        let signature = FileTicket.link(
            file.id.text, subscribeKey: application.subscribeKey, expires: expires, keyset.secretKey)
        let path = "content/\(file.id.text)/\(PercentEncoding.encode(file.name.text))?expires=\(expires)&signature=\(signature)"
        guard let url = url(path) else { return FileBodies.refusal(400, "The request has no host") }
        return FileBodies.found(at: url)
    }

    private func file(_ channel: String, id: String, name: String) -> StoredFile? {
        files.file(Identifier(id), name: Identifier(name)).flatMap { $0.channel == Identifier(channel) ? $0 : nil }
    }

    private func content(_ id: String, _ name: String) async -> HTTPAnswer {
        do throws(FileTicket.Problem) {
            try FileTicket.checkLink(
                id, subscribeKey: application.subscribeKey, expires: request.parameter("expires"),
                signature: request.parameter("signature"), secrets: keyset.validSecretKeys,
                now: application.clock.unixSeconds())
        } catch {
            return FileBodies.refusal(403, "The link is not valid any more. Ask for the file again")
        }
        do {
            guard let file = try await keeper.file(Identifier(id), name: Identifier(name)) else { return FileBodies.notHere }
            var reservation: BodyReservation?
            if let bodies, file.size > BodyBudget.smallBytes {
                reservation = bodies.reserve(file.size, for: owner)
                guard reservation != nil else { return FileBodies.unavailable }
            }
            guard let content = try await keeper.content(of: file) else { return FileBodies.notHere }
            return FileBodies.content(content, name: file.name, reservation: reservation)
        } catch {
            return FileBodies.unavailable
        }
    }

    private func delete(_ channel: String, id: String, name: String) async -> HTTPAnswer {
        guard let file = file(channel, id: id, name: name) else { return FileBodies.notHere }
        return await files.delete(file, by: request.client, in: keyset) ? FileBodies.deleted : FileBodies.unavailable
    }
}

/// The requests of the files service, except publishing messages about files.
enum PubNubFileRoute: Hashable, Sendable {
    case generateUpload(channel: String)
    /// The upload of a file with a form that ``generateUpload(channel:)`` has issued.
    case upload
    case list(channel: String)
    case file(channel: String, id: String, name: String)
    case delete(channel: String, id: String, name: String)
    /// The content of a file, to which ``file(channel:id:name:)`` redirects.
    case content(id: String, name: String)
}

extension PubNubFileRoute {
    /// The route and its allowed methods for the path components after `/v1/files/KEY`; nil for an unknown path.
    static func match(_ rest: ArraySlice<String>, _ method: String) -> (route: PubNubFileRoute, methods: [String])? {
        let rest = Array(rest)
        return switch rest.count {
        case 1 where rest[0] == "upload": (.upload, ["POST"])
        case 3 where rest[0] == "content": (.content(id: rest[1], name: rest[2]), ["GET"])
        case 3 where rest[0] == "channels" && rest[2] == "files": (.list(channel: rest[1]), ["GET"])
        case 3 where rest[0] == "channels" && rest[2] == "generate-upload-url":
            (.generateUpload(channel: rest[1]), ["POST"])
        case 5 where rest[0] == "channels" && rest[2] == "files":
            method == "DELETE"
                ? (.delete(channel: rest[1], id: rest[3], name: rest[4]), ["DELETE"])
                : (.file(channel: rest[1], id: rest[3], name: rest[4]), ["GET", "DELETE"])
        default: nil
        }
    }
}
