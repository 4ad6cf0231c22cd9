// Replacements for types of FoundationNetworking that the API uses, for programs on Linux that are compiled with
// `-Xswiftc -DWITHOUT_FOUNDATION_NETWORKING`. FoundationNetworking needs libcurl, which depends on some thirty system libraries.
#if WITHOUT_FOUNDATION_NETWORKING
    import Foundation

    /// A request that an authoriser has built.
    public struct URLRequest: Hashable, Sendable {
        /// The address.
        public var url: URL?
        /// The method; `GET` unless it is set.
        public var httpMethod: String? = "GET"
        /// The body; nil for none.
        public var httpBody: Data?
        /// Header fields by name; nil for none.
        public var allHTTPHeaderFields: [String: String]?
        /// Always nil: bodies from streams are not supported, with this type and with Foundation's (rule PA-33).
        var httpBodyStream: InputStream? { nil }

        /// A request without header fields and without a body.
        public init(url: URL) {
            self.url = url
        }

        /// Sets a header field, or removes it with nil. Names are compared without regard to the case of ASCII letters.
        public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
            var fields = (allHTTPHeaderFields ?? [:]).filter { $0.key.lowercased() != field.lowercased() }
            if let value { fields[field] = value }
            allHTTPHeaderFields = fields
        }
    }

    /// An answer to a request. `@unchecked Sendable`: everything in it and in its only subclass is constant, so no lock is needed.
    public class URLResponse: @unchecked Sendable {
        /// The address that answered.
        public let url: URL?

        init(url: URL?) {
            self.url = url
        }
    }

    /// An HTTP answer to a request. `@unchecked Sendable`, since its superclass is; everything is constant, so no lock is needed.
    public final class HTTPURLResponse: URLResponse, @unchecked Sendable {
        /// The status, such as 403.
        public let statusCode: Int
        /// Header fields by name.
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
