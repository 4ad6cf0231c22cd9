import ConnectionEngine
import TransportCommon

/// An HTTP request as a plain value.
public struct HTTPCall: Hashable, Sendable {
    public var method: String
    /// The absolute URL of the request, with scheme `http` or `https`, percent-encoded.
    public var url: String
    public var headers: [HTTPField]
    public var body: [UInt8]

    public init(method: String = "GET", url: String, headers: [HTTPField] = [], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// A header field of a request or an answer.
public struct HTTPField: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// An HTTP answer with any status.
public struct HTTPCallAnswer: Hashable, Sendable {
    public var status: Int
    public var headers: [HTTPField]
    public var body: [UInt8]
    /// The URL of the request. It is also the URL of the answer, because redirects are not followed.
    public var url: String

    public init(status: Int, headers: [HTTPField] = [], body: [UInt8] = [], url: String) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
    }

    /// The value of the first header with this name, compared without case; nil when there is none.
    public func first(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Whether the status is a success: 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(status) }

    /// The failure for an unsuccessful status (rule WT-9); nil for success.
    public var failure: ConnectionFailure? {
        isSuccess ? nil : .http(status: status, retryAfter: first("Retry-After"), unixTime: WallClock.unixTime)
    }
}
