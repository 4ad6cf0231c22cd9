/// The address and form fields for the upload of a file. The file is the last part of the form.
public struct PubNubUpload: Hashable, Sendable {
    public struct Field: Hashable, Sendable {
        public var key: String
        public var value: String

        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    public var file: PubNubFileName
    /// The address of the upload, which is used unchanged. The address may be on a host other than the service's.
    public var url: String
    /// The form fields. They must be sent in this order.
    public var fields: [Field]

    public init(file: PubNubFileName, url: String, fields: [Field]) {
        self.file = file
        self.url = url
        self.fields = fields
    }

    /// The body of the upload request: a multipart form with the fields and the file.
    ///
    /// - Parameter boundary: the separator of the form's parts. It must not occur in any part, so make it random.
    public func form(_ content: [UInt8], boundary: String) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(content.count + 4096)
        for field in fields {
            out += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(field.key))\"\r\n\r\n".utf8
            out += field.value.utf8
            out += "\r\n".utf8
        }
        out += "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(Self.quoted(file.name))\"\r\n".utf8
        out += "Content-Type: application/octet-stream\r\n\r\n".utf8
        out += content
        out += "\r\n--\(boundary)--\r\n".utf8
        return out
    }

    /// Escapes quotes and line breaks in a name, in the same way as browsers do.
    private static func quoted(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "%22"
            case "\r": out += "%0D"
            case "\n": out += "%0A"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}
