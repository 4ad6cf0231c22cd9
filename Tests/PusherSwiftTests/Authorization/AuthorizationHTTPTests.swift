import ConnectionEngine
import Foundation
import Testing

@testable import PusherSwift

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Rules PA-30 to PA-33 and PA-37.
struct AuthorizationHTTPTests {
    private let endpoint = URL(string: "http://localhost:9292/pusher/auth")!

    @Test func `an endpoint gets a form by POST`() {
        let request = AuthorizationRequest(endpoint: endpoint, socketID: "45481.3166671", channel: "private-test-channel")
        #expect(request.method == "POST")
        #expect(request.headers == [.init(name: "Content-Type", value: "application/x-www-form-urlencoded")])
        #expect(request.body == Array("socket_id=45481.3166671&channel_name=private-test-channel".utf8))
    }

    // Proof of PA-30.
    @Test func `names are percent-encoded`() {
        let name = "private-reservations-for-venue@venue_id=399ccd9a;date=2017-01-13 &+ü"
        let request = AuthorizationRequest(endpoint: endpoint, socketID: "1.2", channel: name)
        let encoded = "private-reservations-for-venue%40venue_id%3D399ccd9a%3Bdate%3D2017-01-13%20%26%2B%C3%BC"
        #expect(String(decoding: request.body, as: UTF8.self) == "socket_id=1.2&channel_name=\(encoded)")
    }

    @Test func `an app's own request keeps everything`() throws {
        var own = URLRequest(url: endpoint)
        own.httpMethod = "PUT"
        own.httpBody = Data("{}".utf8)
        own.addValue("myToken", forHTTPHeaderField: "Authorization")
        own.addValue("application/json", forHTTPHeaderField: "Content-Type")
        let request = try #require(AuthorizationRequest(own))
        #expect(request.method == "PUT" && request.body == Array("{}".utf8) && request.url == endpoint)
        #expect(request.headers.contains(.init(name: "Authorization", value: "myToken")))
        #expect(request.headers.filter { $0.name == "Content-Type" }.map(\.value) == ["application/json"])
    }

    @Test func `a body without a type is a form`() throws {
        var own = URLRequest(url: endpoint)
        own.httpMethod = "POST"
        own.httpBody = Data("a=b".utf8)
        let request = try #require(AuthorizationRequest(own))
        #expect(request.headers.contains(.init(name: "Content-Type", value: AuthorizationRequest.form)))
    }

    @Test func `a request goes to URLSession unchanged`() {
        let request = AuthorizationRequest(endpoint: endpoint, socketID: "1.2", channel: "private-a").urlRequest
        #expect(request.httpMethod == "POST" && request.url == endpoint)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == AuthorizationRequest.form)
        #expect(request.httpBody == Data("socket_id=1.2&channel_name=private-a".utf8))
    }

    @Test func `a request without a body goes to URLSession without one`() throws {
        let request = try #require(AuthorizationRequest(URLRequest(url: endpoint)))
        #expect(request.urlRequest.httpMethod == "GET" && request.urlRequest.httpBody == nil)
    }

    private func read(_ status: Int, _ body: String) -> Result<(String, String?, String?), ConnectionFailure> {
        AuthorizationAnswer.read(AuthorizationResponse(status: status, headers: [], body: Array(body.utf8)))
            .map { ($0.auth, $0.channelData, $0.sharedSecret) }
    }

    @Test(arguments: [200, 201])
    func `200 and 201 with auth are good`(status: Int) throws {
        let body = #"{"auth":"k:s","channel_data":"{\"user_id\":1}","shared_secret":"c2VjcmV0","other":[]}"#
        let answer = try read(status, body).get()
        #expect(answer == ("k:s", #"{"user_id":1}"#, "c2VjcmV0"))
        #expect(try read(status, #"{"auth":"k:s"}"#).get() == ("k:s", nil, nil))
    }

    @Test(
        arguments: [
            (400, .badRequest), (401, .accessDenied), (403, .accessDenied), (429, .overloaded), (503, .overloaded),
            (500, .unknown),
            (202, .unknown), (302, .unknown),
        ] as [(Int, StatusCategory)])
    func `other statuses fail and say which`(status: Int, category: StatusCategory) {
        #expect { try read(status, #"{"auth":"k:s"}"#).get() } throws: { error in
            let failure = error as? ConnectionFailure
            return failure?.category == category && failure?.httpStatus == status
        }
    }

    @Test(arguments: ["", "{}", "<html></html>", "[]", "null", #"{"auth":1}"#, #"{"auth":null}"#, #"{"auth":"k:s"#])
    func `anything but an object with auth is malformed`(body: String) {
        #expect { try read(200, body).get() } throws: { ($0 as? ConnectionFailure)?.category == .malformedResponse }
    }

    @Test(
        arguments: [
            ("99999999", 86_400), ("7", 7), ("Sun, 06 Nov 1994 08:50:07 GMT", 30), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
            ("-1", nil), ("soon", nil),
        ] as [(String, Int?)])
    func `Retry-After is read in both forms, and bounded`(value: String, seconds: Int?) {
        let headers = [AuthorizationRequest.Header(name: "retry-after", value: value)]
        let response = AuthorizationResponse(status: 503, headers: headers, body: [])
        #expect { try AuthorizationAnswer.read(response, unixTime: 784_111_777).get() } throws: {
            ($0 as? ConnectionFailure)?.retryAfter == seconds.map { .seconds($0) }
        }
    }

    @Test func `a problem shows the beginning of the body and the status`() {
        let failure = ConnectionFailure(.accessDenied, "No.", httpStatus: 403)
        let problem = SubscriptionProblem(failure, body: Array(repeating: UInt8(ascii: "a"), count: 5000))
        #expect(problem.body?.utf8.count == 1024)
        #expect(problem.error.domain == "com.pusher.PusherSwift" && problem.error.code == 403)
        #expect(problem.error.localizedFailureReason == "No.")
    }

    @Test func `without a method the reason is PusherSwift's`() {
        let error = SubscriptionProblem.noMethod.error
        #expect(error.domain == "com.pusher.PusherSwift" && error.code == 0)
        #expect(
            error.localizedFailureReason
                == "Authentication method required for private / presence channels but none provided.")
    }

    @Test(
        arguments: [
            (nil, #"{"user_id":"123"}"#), (["friends": 0], #"{"user_id":"123","user_info":{"friends":0}}"#),
            (["twitter": "hamchapman"], #"{"user_id":"123","user_info":{"twitter":"hamchapman"}}"#),
        ] as [([String: any Sendable]?, String)])
    func `the channel data of a member put the id first`(info: [String: any Sendable]?, text: String) {
        #expect(InlineSigner.channelData(userID: "123", userInfo: info) == text)
    }

    @Test func `user info that is no JSON makes no channel data`() {
        #expect(InlineSigner.channelData(userID: "1", userInfo: Date()) == nil)
        #expect(InlineSigner.channelData(userID: #"a"b"#, userInfo: nil) == #"{"user_id":"a\"b"}"#)
    }
}
