import ConnectionEngine
import Foundation

#if canImport(FoundationNetworking) && !WITHOUT_FOUNDATION_NETWORKING
    import FoundationNetworking
#endif

#if !WITHOUT_FOUNDATION_NETWORKING
    /// Sends authorisation requests with the `URLSession` that the app supplied.
    struct URLSessionHTTP: AuthorizationHTTP {
        let session: PusherURLSession

        func send(
            _ request: AuthorizationRequest, within limit: Duration, maximumBody: Int,
            completion: @escaping @Sendable (Result<AuthorizationResponse, ConnectionFailure>) -> Void
        ) -> @Sendable () -> Void {
            var urlRequest = request.urlRequest
            urlRequest.timeoutInterval = limit.inSeconds
            let task = session.dataTask(with: urlRequest) { data, response, error in
                completion(Self.result(data: data, response: response, error: error, maximumBody: maximumBody))
            }
            task.resume()
            return { task.cancel() }
        }

        private static func result(
            data: Data?, response: URLResponse?, error: (any Error)?, maximumBody: Int
        ) -> Result<AuthorizationResponse, ConnectionFailure> {
            if let error {
                let isLate = (error as? URLError)?.code == .timedOut
                let category: StatusCategory = isLate ? .timeout : .networkUnavailable
                let (domain, code) = ((error as NSError).domain, (error as NSError).code)
                return .failure(
                    ConnectionFailure(
                        category,
                        "The authorisation endpoint gave no answer: \(domain) error \(code). Check its address and the network."))
            }
            guard let response = response as? HTTPURLResponse else {
                return .failure(
                    ConnectionFailure(
                        .malformedResponse,
                        "The authorisation endpoint did not answer with HTTP. Use an address with http or https."))
            }
            if let data, data.count > maximumBody {
                return .failure(
                    ConnectionFailure(
                        .malformedResponse, "The authorisation endpoint's answer is longer than \(maximumBody) bytes.",
                        httpStatus: response.statusCode))
            }
            let headers = response.allHeaderFields.compactMap { name, value -> AuthorizationRequest.Header? in
                guard let name = name as? String, let value = value as? String else { return nil }
                return AuthorizationRequest.Header(name: name, value: value)
            }
            return .success(
                AuthorizationResponse(status: response.statusCode, headers: headers, body: data.map { Array($0) } ?? []))
        }
    }
#endif
