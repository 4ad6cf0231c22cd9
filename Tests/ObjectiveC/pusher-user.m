// An application in Objective-C on Pusher that signs its user in and watches friends: what this library adds to PusherSwift. Only
// compiled.
#import <Foundation/Foundation.h>
#import "PusherSwift-Swift.h"

@interface Account : NSObject <UserAuthenticator, PusherDelegate>
@property (nonatomic, strong) Pusher *pusher;
@end

@implementation Account

- (void)fetchUserAuthValueWithSocketID:(NSString *)socketID
                     completionHandler:(void (^)(PusherUserAuth *_Nullable))completionHandler {
    PusherUserAuth *auth = [[PusherUserAuth alloc] initWithAuth:@"key:signature" userData:@"{\"id\":\"1\"}"];
    NSLog(@"%@ %@ %@", socketID, auth.auth, auth.userData);
    completionHandler(auth);
}

- (void)begin {
    PusherClientOptions *options = [[PusherClientOptions alloc] initWithAuthMethod:[[OCAuthMethod alloc] init]];
    options.userAuthenticator = self;
    options.userAuthEndpoint = @"https://your.authendpoint/pusher/user-auth";
    options.headers = @{@"X-Tenant": @"1"};
    options.authHeaders = @{@"Authorization": @"myToken"};
    options.authParams = @{@"tenant": @"1"};
    options.proxy = [[PusherProxy alloc] initWithHost:@"proxy" port:3128 user:nil password:nil];
    options.certificateAuthorityFile = nil;
    self.pusher = [[Pusher alloc] initWithAppKey:@"key" options:options];
    self.pusher.delegate = self;
    [self.pusher signin];
    [self.pusher.user bindWithEventName:@"invited" eventCallback:^(PusherEvent *event) {
        NSLog(@"%@", event.data);
    }];
    NSString *callbackId = [self.pusher.user.watchlist bindWithEventName:@"online"
                                                           eventCallback:^(PusherWatchlistEvent *event) {
        NSLog(@"%@ %@", event.name, event.userIds);
    }];
    [self.pusher.user.watchlist unbindWithEventName:@"online" callbackId:callbackId];
    [self.pusher connect];
}

- (void)signedInUserId:(NSString *)userId userData:(NSString *)userData {
    NSLog(@"%@ %@ %d %@", userId, userData, self.pusher.user.isSignedIn, self.pusher.user.userId);
}

- (void)failedToSignInResponse:(NSURLResponse *)response data:(NSString *)data error:(NSError *)error {
    NSLog(@"%@ %@ %@", response, data, error);
    [self.pusher signout];
}

@end
