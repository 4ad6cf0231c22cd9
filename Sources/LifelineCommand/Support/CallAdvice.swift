import Lifeline

extension ServiceOptions {
    /// Advice on a refused call, in terms of the command's options. Nil when the error's reason contains the advice (rule CL-128).
    func advice(on error: LifelineError) -> String? {
        if error.code == .init(.tlsUntrusted) { return "Trust the authority of the server's certificate with --ca FILE." }
        switch service {
        case .pusher:
            guard secret != nil else { return nil }
            if error.number == 404 {
                return "The call was for the application id \(appID). Name another application with --app-id or --config."
            }
            guard error.code == .accessDenied else { return nil }
            return "Check that the secret belongs to --key \(key ?? "app-key") and --app-id \(appID)."
        case .pubnub:
            guard error.code == .accessDenied else { return nil }
            if secret != nil {
                return
                    "A call is signed with three keys: check that the secret and --publish-key \(publishKey ?? "demo") "
                    + "belong to --key \(key ?? "demo")."
            }
            return token == nil ? "Give a token with --token, or the keyset's secret with --secret-file or --config." : nil
        case .nexconn: return nil
        }
    }
}
