/// The address and fields for the upload of a file: a form whose last part is the file.
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
    /// The address, which is used unchanged and may be on another host.
    public var url: String
    /// The form fields, in the order in which they have to be sent.
    public var fields: [Field]

    public init(file: PubNubFileName, url: String, fields: [Field]) {
        self.file = file
        self.url = url
        self.fields = fields
    }

    /// The body of the form.
    ///
    /// - Parameter boundary: the separator of the parts; it must not occur in any of them, so make it random.
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

    /// Escapes quotes and line breaks, as browsers do.
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
