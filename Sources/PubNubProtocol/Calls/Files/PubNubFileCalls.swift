import WireCoding

/// A file of a channel, identified by the id that the service assigned and by its name.
public struct PubNubFileName: Hashable, Sendable {
    public var channel: String
    public var id: String
    public var name: String

    public init(channel: String, id: String, name: String) {
        self.channel = channel
        self.id = id
        self.name = name
    }

    func path(_ settings: PubNubSettings) throws(PubNubProblem) -> [String] {
        try PubNubRequest.files(of: channel, settings) + [
            "files", try CallArguments.name(id, .fileID), try CallArguments.name(name, .file),
        ]
    }

    /// A request for the file's content. The service answers with the content or with a redirect to it.
    public func download(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        PubNubRequest(path: try path(settings))
    }
}

/// A request for the address to which a file is uploaded.
public struct PubNubUploadCall: PubNubCall, Hashable {
    public var channel: String
    public var name: String

    public init(channel: String, name: String) {
        self.channel = channel
        self.name = name
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        _ = try CallArguments.name(name, .file)
        return PubNubRequest(
            method: "POST", path: try PubNubRequest.files(of: channel, settings) + ["generate-upload-url"],
            body: Array("{\"name\":\(JSONWriter.string(name))}".utf8))
    }

    /// `{"status":200,"data":{"id":"…","name":"…"},"file_upload_request":{"url":"…","method":"POST","form_fields":[…]}}`
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> PubNubUpload {
        let answer = try CallAnswer.object(body)
        let file = try answer.object("data")
        let upload = try answer.object("file_upload_request")
        guard let id = file.string("id"), let url = upload.string("url"), let fields = upload["form_fields"]?.elements else {
            throw .malformed("The service's answer contains no address for the upload.")
        }
        var form: [PubNubUpload.Field] = []
        for field in fields {
            guard let members = Members(field), let key = members.string("key") else {
                throw .malformed("A field of the upload form in the service's answer has no key.")
            }
            form.append(.init(key: key, value: members.string("value") ?? ""))
        }
        return PubNubUpload(
            file: PubNubFileName(channel: channel, id: id, name: file.string("name") ?? name), url: url, fields: form)
    }
}

/// A request that publishes a message about an uploaded file to the channel's subscribers.
public struct PubNubPublishFileCall: PubNubCall, Hashable {
    public var channel: String
    /// The message made by `PubNubFileName.message`, already encrypted if the client has a cipher key.
    public var message: JSONText
    public var metadata: JSONText?
    public var isStored: Bool?
    /// How many hours the history keeps the message; nil for the keyset's setting.
    public var ttl: Int?
    public var isReplicated: Bool
    public var customType: String?

    public init(
        channel: String, message: JSONText, metadata: JSONText? = nil, isStored: Bool? = nil, ttl: Int? = nil,
        isReplicated: Bool = true, customType: String? = nil
    ) {
        self.channel = channel
        self.message = message
        self.metadata = metadata
        self.isStored = isStored
        self.ttl = ttl
        self.isReplicated = isReplicated
        self.customType = customType
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        var request = try PubNubPublishCall(
            channel: channel, message: message, metadata: metadata, isStored: isStored, ttl: ttl, isReplicated: isReplicated,
            customType: customType
        ).request(settings)
        request.path.replaceSubrange(0..<1, with: ["v1", "files", "publish-file"])
        return request
    }

    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> PubNubPublished {
        try PubNubPublished(reading: body)
    }
}

extension PubNubFileName {
    /// `{"message":…,"file":{"id":"…","name":"…"}}`
    public func message(_ message: JSONText?) -> JSONText {
        let file = "\"file\":{\"id\":\(JSONWriter.string(id)),\"name\":\(JSONWriter.string(name))}"
        return JSONText(checked: "{" + (message.map { "\"message\":\($0.text)," } ?? "") + file + "}")
    }
}

/// A request for the files of a channel.
public struct PubNubListFilesCall: PubNubCall, Hashable {
    public var channel: String
    /// The maximum number of files, 1 to 100; nil for the service's default.
    public var limit: Int?
    /// The cursor at which the page starts: the value of `next` in the previous answer; nil for the first page.
    public var next: String?

    public init(channel: String, limit: Int? = nil, next: String? = nil) {
        self.channel = channel
        self.limit = limit
        self.next = next
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        if let limit, limit < 1 { throw .badArguments("The limit of files is below 1. Pass 1 to 100, or leave it out.") }
        var parameters: [PubNubRequest.Parameter] = []
        parameters.add("limit", limit.map { min($0, 100) })
        parameters.add("next", next)
        return PubNubRequest(
            path: try PubNubRequest.files(of: channel, settings) + ["files"], parameters: parameters)
    }

    /// `{"status":200,"data":[{"name":"…","id":"…","size":25778,"created":"…"}],"next":null,"count":1}`
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> PubNubListedFiles {
        let answer = try CallAnswer.object(body)
        guard let elements = try answer.required("data").elements else {
            throw .malformed("The field \"data\" of the service's answer is not a list.")
        }
        var listed = PubNubListedFiles(files: [], next: answer.string("next"), count: answer.integer("count") ?? elements.count)
        for element in elements {
            // A file that cannot be read is left out, and the other files are returned (rule PN-40).
            guard let file = Members(element), let id = file.string("id"), let name = file.string("name") else { continue }
            listed.files.append(
                .init(
                    file: PubNubFileName(channel: channel, id: id, name: name), size: file.integer("size") ?? 0,
                    created: file.string("created")))
        }
        return listed
    }
}

/// Deletes a file.
public struct PubNubDeleteFileCall: PubNubCall, Hashable {
    public var file: PubNubFileName

    public init(file: PubNubFileName) {
        self.file = file
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        PubNubRequest(method: "DELETE", path: try file.path(settings))
    }

    public func answer(_ body: [UInt8]) throws(PubNubProblem) {
        _ = try CallAnswer.object(body)
    }
}

/// One page of the files of a channel.
public struct PubNubListedFiles: Hashable, Sendable {
    public struct Element: Hashable, Sendable {
        public var file: PubNubFileName
        /// The file's size in bytes.
        public var size: Int
        /// When the file was created, in ISO 8601.
        public var created: String?
    }

    public var files: [Element]
    /// The cursor of the next page; nil on the last page.
    public var next: String?
    public var count: Int
}

extension PubNubRequest {
    fileprivate static func files(of channel: String, _ settings: PubNubSettings) throws(PubNubProblem) -> [String] {
        [
            "v1", "files", try CallArguments.subscribeKey(settings), "channels", try CallArguments.name(channel, .channel),
        ]
    }
}
