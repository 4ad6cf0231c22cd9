// Replacements for types of FoundationNetworking that the API uses, for programs on Linux that are compiled with
// `-Xswiftc -DWITHOUT_FOUNDATION_NETWORKING`. FoundationNetworking needs libcurl, which depends on some thirty system libraries.
#if WITHOUT_FOUNDATION_NETWORKING
    import Foundation

    /// A request to the app's endpoint, built by the app.
    public struct URLRequest: Hashable, Sendable {
        /// The address.
        public var url: URL?
        /// The HTTP method; `GET` by default.
        public var httpMethod: String? = "GET"
        /// The body of the request; nil for no body.
        public var httpBody: Data?
        /// The header fields by name; nil for none.
        public var allHTTPHeaderFields: [String: String]?
        /// Always nil, because bodies that are streams are not supported, not even with Foundation's type (rule PA-33).
        var httpBodyStream: InputStream? { nil }

        /// Creates a request without header fields and without a body.
        public init(url: URL) {
            self.url = url
        }

        /// Sets a header field, or removes it when `value` is nil. Names are compared without regard to the case of ASCII letters.
        public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
            var fields = (allHTTPHeaderFields ?? [:]).filter { $0.key.lowercased() != field.lowercased() }
            if let value { fields[field] = value }
            allHTTPHeaderFields = fields
        }
    }

    /// An answer to a request. `@unchecked Sendable`: all properties of this class and its only subclass are constant.
    public class URLResponse: @unchecked Sendable {
        /// The address from which the answer came.
        public let url: URL?

        init(url: URL?) {
            self.url = url
        }
    }

    /// An HTTP answer to a request. `@unchecked Sendable`: all properties are constant.
    public final class HTTPURLResponse: URLResponse, @unchecked Sendable {
        /// The HTTP status, such as 403.
        public let statusCode: Int
        /// The header fields of the answer, by name.
        public let allHeaderFields: [String: String]

        init?(url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?) {
            self.statusCode = statusCode
            allHeaderFields = headerFields ?? [:]
            super.init(url: url)
        }
    }

    /// Replaces `URLSession` in builds that send requests only through this library's own transport.
    public final class URLSession: Sendable {
        /// The only instance.
        public static let shared = URLSession()

        private init() {}
    }
#endif
