// The Swift examples of PusherSwift's README, section Configuration. Comments say where an example had to be adjusted.
import Foundation
import PusherSwift

enum ConfigurationExamples {
    // Configuration: the definition of AuthMethod. Not in the README: this switch, which proves that the cases are exactly these.
    static func name(of method: AuthMethod) -> String {
        switch method {
        case .endpoint(authEndpoint: let endpoint): "endpoint \(endpoint)"
        case .authRequestBuilder(authRequestBuilder: _): "authRequestBuilder"
        case .inline(secret: _): "inline"
        case .authorizer(authorizer: _): "authorizer"
        case .noMethod: "noMethod"
        }
    }

    // Configuration: the cluster.
    static func cluster() -> PusherClientOptions {
        let options = PusherClientOptions(
            host: .cluster("eu")
        )
        return options
    }

    // Configuration: a custom host, from the list of parameters.
    static func host() -> PusherClientOptions {
        PusherClientOptions(host: PusherHost.host("ws-test.pusher.com"))
    }

    // Configuration: options and client.
    static func endpoint() -> Pusher {
        let options = PusherClientOptions(
            authMethod: .endpoint(authEndpoint: "http://localhost:9292/pusher/auth")
        )

        let pusher = Pusher(key: "APP_KEY", options: options)
        return pusher
    }

    // Configuration: authenticated channel example. Adjusted: `channelName` for `channel.name`, which is nowhere defined.
    class AuthRequestBuilder: AuthRequestBuilderProtocol {
        func requestFor(socketID: String, channelName: String) -> URLRequest? {
            var request = URLRequest(url: URL(string: "http://localhost:9292/builder")!)
            request.httpMethod = "POST"
            request.httpBody = "socket_id=\(socketID)&channel_name=\(channelName)".data(using: String.Encoding.utf8)
            request.addValue("myToken", forHTTPHeaderField: "Authorization")
            return request
        }
    }

    static func requestBuilder() -> Pusher {
        let options = PusherClientOptions(
            authMethod: AuthMethod.authRequestBuilder(authRequestBuilder: AuthRequestBuilder())
        )
        let pusher = Pusher(
            key: "APP_KEY",
            options: options
        )
        return pusher
    }

    // Configuration: the definition of Authorizer, spelled as in the README: the completion handler does not escape.
    class ImmediateAuthorizer: Authorizer {
        func fetchAuthValue(socketID: String, channelName: String, completionHandler: (PusherAuth?) -> ()) {
            completionHandler(PusherAuth(auth: "key:\(socketID):\(channelName)", channelData: nil, sharedSecret: nil))
        }
    }

    // The same with a completion handler that escapes, as PusherSwift's source has it.
    class EscapingAuthorizer: Authorizer {
        func fetchAuthValue(socketID: String, channelName: String, completionHandler: @escaping (PusherAuth?) -> Void) {
            completionHandler(nil)
        }
    }
}
